import Foundation
import GRDB

/// A row of the catalog's releases that isn't what was written, and what it tells all the same.
struct DamagedReleaseRow {
    let id: Int64
    /// The bundle; nil when nothing tells.
    var name: BundleName?
    /// The version; nil likewise.
    let version: BundleVersion?
    /// The manifest, if it can be read; it may be what is wrong.
    let manifest: BundleManifest?
    /// Whether the manifest says what the release is, and the row would be what was written if it said the same.
    let isNamedByManifest: Bool
    /// The number of the release's activation; nil when there is none or it can't be one.
    let activationNumber: Int64?
    /// What was held back when it last became the active one.
    let heldVersion: BundleVersion?
    /// Whether it is its bundle's active release, as ``InstalledRows`` finds it.
    var isActive = false

    /// - Parameter row: Its columns may hold anything.
    init(_ row: Row) throws {
        id = try row.decode(forColumn: "id")
        manifest = row.value("manifest", as: Data.self).flatMap { try? BundleManifest.parse(stored: Array($0)) }
        let table = DigestedTable.release
        isNamedByManifest =
            !table.isIntact(row)
            && manifest.map {
                table.isIntact(row, with: ["bundle": $0.name.string, "version": $0.version.string])
            } ?? false
        let told = (row.text("bundle").flatMap(BundleName.init), row.text("version").flatMap(BundleVersion.init))
        (name, version) = isNamedByManifest ? (manifest?.name, manifest?.version) : told
        activationNumber = row.integer("activationNumber", in: 0...Activation.maximumNumber)
        heldVersion = row.text("heldVersion").flatMap(BundleVersion.init)
    }

    var damage: StoreDamage {
        let isNameless = name == nil && version == nil
        var damage = StoreDamage(
            bundle: name,
            version: version,
            "row \(id) of the catalog's releases \(isNameless ? "doesn't say which one it is" : "isn't what was written")",
            .repair(isNameless ? .namelessRow : .release)
        )
        damage.isOfActiveRow = isActive
        return damage
    }
}
