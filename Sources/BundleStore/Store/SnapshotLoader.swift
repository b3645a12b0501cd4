import SystemPackage

/// Opens what the catalog names. Releases and segments that are open already are used again.
struct SnapshotLoader {
    private let layout: StoreLayout
    private let damageHandler: DamageHandler
    private var openReleases: [FileIdentifier: Release]
    private var openSegments: [FileIdentifier: Segment]
    private var damage: [StoreDamage] = []

    /// Loads until what was read is consistent: a release may be pruned between reading the catalog and opening its files.
    ///
    /// - Parameter damageHandler: Told of damage that reading the releases shows.
    static func load(
        _ catalog: Catalog,
        _ layout: StoreLayout,
        previous: StoreSnapshot?,
        damageHandler: @escaping DamageHandler = { _ in }
    ) throws -> StoreSnapshot {
        while true {
            var loader = SnapshotLoader(layout: layout, previous: previous, damageHandler: damageHandler)
            let snapshot = try loader.load(catalog)
            if try snapshot.damage.isEmpty || catalog.generation() == snapshot.generation { return snapshot }
        }
    }

    private init(layout: StoreLayout, previous: StoreSnapshot?, damageHandler: @escaping DamageHandler) {
        self.layout = layout
        self.damageHandler = damageHandler
        let releases = previous?.releases ?? []
        openReleases = Dictionary(releases.map { ($0.record.index, $0) }, uniquingKeysWith: { first, _ in first })
        openSegments = Dictionary(
            releases.flatMap(\.openSegments).map { ($0.identifier, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private mutating func load(_ catalog: Catalog) throws -> StoreSnapshot {
        let (generation, records, damagedRows) = try catalog.releases()
        damage += damagedRows
        var releases: [BundleName: [Release]] = [:]
        for record in records {
            do {
                releases[record.name, default: []].append(try open(record))
            } catch {
                damage.append(
                    StoreDamage(bundle: record.name, version: record.version, path: nil, problem: "\(error)")
                )
            }
        }
        let bundles = releases.map { name, releases in (name, InstalledBundle(name: name, releases: releases)) }
        return StoreSnapshot(
            bundles: Dictionary(uniqueKeysWithValues: bundles),
            damage: damage,
            generation: generation
        )
    }

    private mutating func open(_ record: ReleaseRecord) throws -> Release {
        let known = openReleases[record.index]
        let index = try known?.index ?? index(of: record)
        let segments = index.segments.map { identifier in segment(identifier, of: record) }
        return try Release(record, index: index, segments: segments, earlier: known, damageHandler: damageHandler)
    }

    private func index(of record: ReleaseRecord) throws -> VersionIndex {
        do {
            return try VersionIndex(record.index, in: layout)
        } catch let error as Errno {
            let path = layout.index(record.index)
            throw BundleError(.storeDamaged, "\(path) can't be read (\(error)); reinstall the bundle", cause: error)
        }
    }

    private mutating func segment(_ identifier: FileIdentifier, of record: ReleaseRecord) -> Segment? {
        if let segment = openSegments[identifier] { return segment }
        do {
            let segment = try Segment(identifier, in: layout)
            openSegments[identifier] = segment
            return segment
        } catch {
            let problem =
                "segment \(identifier.name) can't be read (\(error)); repair it with “bundlectl verify --repair”, or "
                + "reinstall the bundle"
            damage.append(StoreDamage(bundle: record.name, version: record.version, path: nil, problem: problem))
            return nil
        }
    }
}
