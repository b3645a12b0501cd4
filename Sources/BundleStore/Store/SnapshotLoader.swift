import SystemPackage

/// Opens what the catalog names. Releases and segments that are open already are used again.
struct SnapshotLoader {
    private let layout: StoreLayout
    private let damageHandler: DamageHandler
    private var openReleases: [FileIdentifier: Release]
    private var openSegments: [FileIdentifier: Segment]
    private var newerSegments: Set<FileIdentifier> = []
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
            } catch let error as BundleError where error.code == .storeUnavailable {
                throw error
            } catch {
                noteDamage(to: record, "\(error)", error)
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
        let segments = try index.segments.map { identifier in try segment(identifier, of: record) }
        let release = try Release(
            record,
            index: index,
            segments: segments,
            newerSegments: newerSegments.intersection(index.segments),
            earlier: known,
            damageHandler: damageHandler
        )
        guard release.manifest.isOf(record.name, record.version) else {
            throw BundleError(
                .storeDamaged,
                "row \(record.id) of the catalog's releases has the manifest of \(release.manifest.name)@"
                    + "\(release.manifest.version); repair it with “bundlectl verify --repair”, or remove it"
            )
        }
        return release
    }

    private mutating func noteDamage(to record: ReleaseRecord, _ problem: String, _ error: any Error) {
        damage.append(
            StoreDamage(
                bundle: record.name,
                version: record.version,
                path: nil,
                problem: problem,
                isNewer: (error as? BundleError)?.code == .newerFormat
            )
        )
    }

    /// Throws where it is the process, and not the file, that is at fault: what can be read again isn't damaged.
    private func throwIfItSaysNothing(of path: FilePath, _ error: any Error) throws(BundleError) {
        guard StorageFailure.isOfProcess(error) else { return }
        throw BundleError(
            .storeUnavailable,
            "\(path) can't be read: \(StorageFailure.advice(on: error))",
            cause: error
        )
    }

    private func index(of record: ReleaseRecord) throws -> VersionIndex {
        do {
            return try VersionIndex(record.index, in: layout)
        } catch let error as Errno {
            let path = layout.index(record.index)
            try throwIfItSaysNothing(of: path, error)
            throw BundleError(.storeDamaged, "\(path) can't be read (\(error)); reinstall the bundle", cause: error)
        }
    }

    private mutating func segment(_ identifier: FileIdentifier, of record: ReleaseRecord) throws -> Segment? {
        if let segment = openSegments[identifier] { return segment }
        do {
            let segment = try Segment(identifier, in: layout)
            openSegments[identifier] = segment
            return segment
        } catch let error as BundleError where error.code == .newerFormat {
            newerSegments.insert(identifier)
            noteDamage(to: record, error.message, error)
            return nil
        } catch {
            try throwIfItSaysNothing(of: layout.segment(identifier), error)
            let problem =
                "segment \(identifier.name) can't be read (\(error)); repair it with “bundlectl verify --repair”, or "
                + "reinstall the bundle"
            noteDamage(to: record, problem, error)
            return nil
        }
    }
}
