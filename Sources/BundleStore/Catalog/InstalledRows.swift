import Foundation
import GRDB

/// What the catalog says of bundles and releases, as far as it is what was written.
///
/// Which release is the active one is there twice: in the row of the bundle, and in the numbers of the releases'
/// activations, of which it has the highest. Where the first is damaged, the second counts.
struct InstalledRows {
    /// A row of a bundle that isn't what was written, or is missing.
    struct DamagedBundle {
        /// The row's name; nil when there is no row.
        let key: DatabaseValue?
        /// The bundle; nil when the row doesn't tell.
        let name: BundleName?
        let damage: StoreDamage
    }

    /// Those that can be read, the latest activated first.
    private(set) var releases: [ReleaseRecord] = []
    /// By name, in place of damaged ones what the releases tell.
    private(set) var bundles: [BundleName: BundleRecord] = [:]
    private(set) var damagedBundles: [DamagedBundle] = []
    private var damagedReleases: [Int64: StoreDamage] = [:]

    /// Everything that is wrong: the others have nothing to do with it.
    var damage: [StoreDamage] {
        damagedReleases.sorted { $0.key < $1.key }.map(\.value) + damagedBundles.map(\.damage)
    }

    init(in database: Database) throws {
        var numbers: Set<Int64> = []
        for row in try Row.fetchAll(
            database,
            sql: "SELECT * FROM release ORDER BY bundle, activationNumber DESC NULLS LAST, id DESC"
        ) {
            let id: Int64 = try row.decode(forColumn: "id")
            numbers.insert(id)
            if let release = try? ReleaseRecord(row) {
                releases.append(release)
            } else {
                let (bundle, version) = (row.text("bundle"), row.text("version"))
                damagedReleases[id] =
                    StoreDamage(row: id, bundle.flatMap(BundleName.init), version.flatMap(BundleVersion.init))
            }
        }
        for row in try Row.fetchAll(database, sql: "SELECT * FROM bundle ORDER BY name") { add(row, numbers) }
        substituteMissing()
        for number in releases.indices {
            releases[number].isActive = bundles[releases[number].name]?.active == releases[number].id
        }
        for bundle in bundles.values {
            guard let active = bundle.active, damagedReleases[active]?.bundle == bundle.name else { continue }
            damagedReleases[active]?.isOfActiveRow = true
        }
    }

    private mutating func add(_ row: Row, _ releaseNumbers: Set<Int64>) {
        let name = row.text("name").flatMap(BundleName.init)
        let active = row.value("active", as: Int64.self)
        guard let name, DigestedTable.bundle.isIntact(row), active.map(releaseNumbers.contains) ?? true else {
            let latest = name.flatMap(latestActivated)
            let damage = StoreDamage(
                bundle: name,
                version: nil,
                path: nil,
                problem: "its row in the catalog isn't what was written; " + Self.consequence(latest)
            )
            damagedBundles.append(DamagedBundle(key: row.value("name"), name: name, damage: damage))
            return
        }
        bundles[name] = BundleRecord(
            name: name,
            active: active,
            heldVersion: row.text("heldVersion").flatMap(BundleVersion.init)
        )
    }

    private mutating func substituteMissing() {
        for name in Set(releases.map(\.name)).sorted() where bundles[name] == nil {
            let latest = latestActivated(of: name)
            bundles[name] = BundleRecord(name: name, active: latest?.id, heldVersion: latest?.heldVersion)
            guard !damagedBundles.contains(where: { $0.name == name }) else { continue }
            let problem = "its row in the catalog is missing; " + Self.consequence(latest)
            let damage = StoreDamage(bundle: name, version: nil, path: nil, problem: problem)
            damagedBundles.append(DamagedBundle(key: nil, name: name, damage: damage))
        }
    }

    private func latestActivated(of name: BundleName) -> ReleaseRecord? {
        releases.filter { $0.name == name && $0.activationNumber != nil }
            .max { ($0.activationNumber ?? 0) < ($1.activationNumber ?? 0) }
    }

    private static func consequence(_ latest: ReleaseRecord?) -> String {
        let answers = latest.map { "\($0.version), which was activated last, answers" } ?? "no version answers"
        return answers + "; repair it with “bundlectl verify --repair”"
    }
}
