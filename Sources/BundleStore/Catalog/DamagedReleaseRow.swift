import Foundation
import GRDB

/// A damaged row of the catalog's releases, and what can still be read from it.
struct DamagedReleaseRow {
    let id: Int64
    /// The bundle; nil when it can't be determined.
    var name: BundleName?
    /// The version; nil when it can't be determined.
    let version: BundleVersion?
    /// The manifest, if it can be read; it may be the damaged part.
    let manifest: BundleManifest?
    /// Whether the manifest names the release, and the row would be intact if it named the same.
    let isNamedByManifest: Bool
    /// The number of the release's activation; nil when there is none or it is invalid.
    let activationNumber: Int64?
    /// The version that was held back when it last became active.
    let heldVersion: BundleVersion?
    /// Whether it is its bundle's active release, as determined by ``InstalledRows``.
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
