import Foundation
import GRDB

/// The bundles and releases in the catalog, as far as their rows are intact.
///
/// The active release is recorded twice: in the row of the bundle, and in the numbers of the releases' activations,
/// where it has the highest. If the first is damaged, the second counts, even if the release's own row is damaged: a
/// lost version isn't silently replaced by an earlier one.
struct InstalledRows {
    /// A row of a bundle that is damaged or missing.
    struct DamagedBundle {
        /// The row's name, as far as it can be read; nil when there is no row.
        let key: DatabaseValue?
        /// The bytes of the row's name; nil when there is no row.
        let keyBytes: Data?
        /// The bundle; nil when the row doesn't name it.
        let name: BundleName?
        /// Whether the bundle has another row.
        let isSuperfluous: Bool
        let damage: StoreDamage
    }

    /// The releases that can be read, latest activated first.
    private(set) var releases: [ReleaseRecord] = []
    /// The damaged releases, in the order of their numbers.
    private(set) var damagedReleases: [DamagedReleaseRow] = []
    /// By name; for damaged rows, as derived from the releases.
    private(set) var bundles: [BundleName: BundleRecord] = [:]
    private(set) var damagedBundles: [DamagedBundle] = []

    /// All damage; other rows aren't affected by it.
    var damage: [StoreDamage] { damagedReleases.map(\.damage) + damagedBundles.map(\.damage) }

    init(in database: Database) throws {
        for row in try Row.fetchAll(
            database,
            sql: """
                SELECT \(DigestedTable.release.selection) FROM release
                ORDER BY bundle, activationNumber DESC NULLS LAST, activatedAt DESC, id DESC
                """
        ) {
            if let release = try? ReleaseRecord(row) {
                releases.append(release)
            } else {
                damagedReleases.append(try DamagedReleaseRow(row))
            }
        }
        damagedReleases.sort { $0.id < $1.id }
        let numbers = Set(releases.map(\.id) + damagedReleases.map(\.id))
        var damaged: [Row] = []
        for row in try Row.fetchAll(
            database,
            sql: "SELECT \(DigestedTable.bundle.selection), CAST(name AS BLOB) AS nameBytes FROM bundle ORDER BY name"
        ) {
            if let bundle = Self.bundle(row, numbers) { bundles[bundle.name] = bundle } else { damaged.append(row) }
        }
        nameActive()
        for row in damaged { addDamaged(row) }
        addMissing()
        markActive()
    }

    /// The rows of a bundle's releases, latest activated first.
    func rows(of name: BundleName) -> [(id: Int64, version: BundleVersion?)] {
        let sound = releases.filter { $0.name == name }.map {
            ($0.id, $0.version as BundleVersion?, $0.activationNumber)
        }
        let damaged = damagedReleases.filter { $0.name == name }.map { ($0.id, $0.version, $0.activationNumber) }
        return (sound + damaged).sorted { ($0.2 ?? -1, $0.0) > ($1.2 ?? -1, $1.0) }.map { ($0.0, $0.1) }
    }

    /// The rows of a release, readable ones first.
    func rows(of name: BundleName, _ version: BundleVersion) -> [Int64] {
        releases.filter { $0.name == name && $0.version.string == version.string }.map(\.id)
            + damagedReleases.filter { $0.name == name && $0.version?.string == version.string }.map(\.id)
    }

    /// The version of a row, as far as it is known.
    func version(ofRow id: Int64) -> BundleVersion? {
        releases.first { $0.id == id }?.version ?? damagedReleases.first { $0.id == id }?.version
    }

    /// The latest activation of a bundle's releases; nil when no activation is recorded.
    func latestActivation(of name: BundleName) -> ActivationRow? {
        let sound = releases.filter { $0.name == name }.compactMap(ActivationRow.init)
        return (sound + damagedReleases.filter { $0.name == name }.compactMap(ActivationRow.init)).max()
    }

    /// Nil when it isn't intact.
    private static func bundle(_ row: Row, _ releaseNumbers: Set<Int64>) -> BundleRecord? {
        let active = row.value("active", as: Int64.self)
        guard let name = row.text("name").flatMap(BundleName.init), DigestedTable.bundle.isIntact(row),
            active.map(releaseNumbers.contains) ?? true
        else { return nil }
        let held = row.text("heldVersion").flatMap(BundleVersion.init)
        return BundleRecord(name: name, active: active, heldVersion: held)
    }

    /// An intact row of a bundle says for certain which bundle its active release belongs to.
    private mutating func nameActive() {
        let names = Dictionary(
            bundles.values.compactMap { bundle in bundle.active.map { ($0, bundle.name) } },
            uniquingKeysWith: { first, _ in first }
        )
        for number in damagedReleases.indices {
            if let name = names[damagedReleases[number].id] { damagedReleases[number].name = name }
        }
    }

    private mutating func addDamaged(_ row: Row) {
        let name = row.text("name").flatMap(BundleName.init)
        let isSuperfluous = name.map { bundles[$0] != nil } ?? false
        let problem =
            switch name {
            case nil: "a row of the catalog's bundles doesn't say which one it is"
            case _ where isSuperfluous: "the catalog has one more row of it, which isn't what was written"
            case let name?: "its row in the catalog isn't what was written; " + consequence(of: name)
            }
        let target: Remedy.RepairTarget = name == nil || isSuperfluous ? .catalog : .bundleRow
        if let name, !isSuperfluous { bundles[name] = substitute(of: name) }
        damagedBundles.append(
            DamagedBundle(
                key: row.value("name"),
                keyBytes: row.value("nameBytes"),
                name: name,
                isSuperfluous: isSuperfluous,
                damage: StoreDamage(bundle: name, version: nil, problem, .repair(target))
            )
        )
    }

    private mutating func addMissing() {
        for name in Set(releases.map(\.name)).sorted() where bundles[name] == nil {
            bundles[name] = substitute(of: name)
            let problem = "its row in the catalog is missing; " + consequence(of: name)
            let damage = StoreDamage(bundle: name, version: nil, problem, .repair(.bundleRow))
            damagedBundles.append(
                DamagedBundle(key: nil, keyBytes: nil, name: name, isSuperfluous: false, damage: damage)
            )
        }
    }

    private mutating func markActive() {
        for number in releases.indices {
            releases[number].isActive = bundles[releases[number].name]?.active == releases[number].id
        }
        for number in damagedReleases.indices {
            let row = damagedReleases[number]
            damagedReleases[number].isActive = row.name.flatMap { bundles[$0] }?.active == row.id
        }
    }

    /// The record of a bundle as derived from its releases; nil when none of them gives one.
    private func substitute(of name: BundleName) -> BundleRecord? {
        let latest = latestActivation(of: name)
        guard latest != nil || releases.contains(where: { $0.name == name }) else { return nil }
        return BundleRecord(name: name, active: latest?.release, heldVersion: latest?.heldVersion)
    }

    private func consequence(of name: BundleName) -> String {
        guard let latest = latestActivation(of: name) else { return "no version counts as the active one" }
        let release = version(ofRow: latest.release).map { "\($0)" } ?? "the version of row \(latest.release)"
        return "\(release), which was activated last, counts as the active one"
    }
}

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
        activationNumber = row.integer("activationNumber", in: 0...ActivationRow.maximumNumber)
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

/// When a release became active, according to its row. If the row of its bundle is lost, the latest activation counts.
struct ActivationRow: Comparable {
    /// More than any store reaches. A higher number is damage and must not be exceeded.
    static let maximumNumber: Int64 = 1 << 48

    let number: Int64
    /// Whether the row is intact. Of two with the same number, an intact one is the later.
    let isSound: Bool
    /// In seconds since 1970.
    let time: Double
    let release: Int64
    let heldVersion: BundleVersion?

    static func < (left: ActivationRow, right: ActivationRow) -> Bool {
        (left.number, left.isSound ? 1 : 0, left.time, left.release)
            < (right.number, right.isSound ? 1 : 0, right.time, right.release)
    }
}

extension ActivationRow {
    /// Nil for a release that was never activated.
    init?(_ release: ReleaseRecord) {
        guard let number = release.activationNumber else { return nil }
        self.init(
            number: min(max(number, 0), Self.maximumNumber),
            isSound: true,
            time: release.activatedAt?.timeIntervalSince1970 ?? 0,
            release: release.id,
            heldVersion: release.heldVersion
        )
    }

    /// Also nil when its number is invalid.
    init?(_ row: DamagedReleaseRow) {
        guard let number = row.activationNumber else { return nil }
        self.init(number: number, isSound: false, time: 0, release: row.id, heldVersion: row.heldVersion)
    }
}
