import Synchronization
import SystemPackage

/// The store's content at one moment. It stays readable whatever happens to the store afterwards.
///
/// Immutable; safe to share between threads.
public struct StoreSnapshot: Sendable {
    /// The bundles by name.
    public let bundles: [BundleName: InstalledBundle]
    /// What the catalog names but can't be read or opened, with the reason.
    public let damage: [StoreDamage]
    /// Changes with every install, activation and removal; increases unless the catalog's counter was damaged.
    public let generation: Int64
    /// Different for each load of a store by this process, even at the same generation: damage may have been found or
    /// repaired.
    package let revision: Int64

    /// The bundles in the order of their names.
    public var sortedBundles: [InstalledBundle] { bundles.values.sorted { $0.name < $1.name } }

    /// Throws when a newer program has written the release or a part of it, so that this one must not replace it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `newerFormat`.
    func checkIsReplaceable(_ name: BundleName, _ version: BundleVersion) throws(BundleError) {
        let newer = damage.first { $0.isNewer && $0.bundle == name && $0.version?.string == version.string }
        if let newer { throw newer.error }
    }

    /// What is served instead of active releases that can't be opened, one sentence each, in the order of the bundles'
    /// names.
    public var degradations: [String] { sortedBundles.compactMap(\.degradation) }

    /// Every release of every bundle, including those that can't be opened.
    var storedReleases: [Release] { bundles.values.flatMap { $0.releases + $0.damaged } }

    /// Every release of every bundle that can be opened.
    package var releases: [Release] { bundles.values.flatMap(\.releases) }

    /// The digests of all files of all releases.
    package var contentDigests: Set<Digest> {
        releases.reduce(into: []) { digests, release in
            for asset in release.assets { digests.insert(asset.digest) }
        }
    }
}

/// Opens what the catalog names. Releases and segments that are already open are reused.
struct SnapshotLoader {
    /// Counts this process's loads of any store.
    private static let lastRevision = Atomic<Int64>(0)

    private let layout: StoreLayout
    private let damageHandler: DamageHandler
    private var openReleases: [FileIdentifier: Release]
    private var openSegments: [FileIdentifier: Segment]
    /// The indexes that were found changed or damaged before.
    private let suspectIndexes: Set<FileIdentifier>
    private var newerSegments: Set<FileIdentifier> = []
    private var damage: [StoreDamage] = []

    /// Loads until the result is consistent: a release may be pruned between reading the catalog and opening its files.
    ///
    /// - Parameter damageHandler: Called for damage found by reading the releases.
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
        // Files that were changed under the store are opened again, and their indexes are then read completely.
        let (changed, sound) = (
            releases.filter { $0.index.hasChanged || $0.index.verdict == .damaged },
            releases.filter { !$0.index.hasChanged && $0.index.verdict != .damaged }
        )
        suspectIndexes = Set((changed + (previous?.bundles.values.flatMap(\.damaged) ?? [])).map(\.record.index))
        openReleases = Dictionary(sound.map { ($0.record.index, $0) }, uniquingKeysWith: { first, _ in first })
        openSegments = Dictionary(
            releases.flatMap(\.openSegments).filter { !$0.hasChanged }.map { ($0.identifier, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private mutating func load(_ catalog: Catalog) throws -> StoreSnapshot {
        let contents = try catalog.contents()
        damage += contents.damage
        var (releases, unreadable): ([BundleName: [Release]], [BundleName: [Release]]) = ([:], [:])
        for record in contents.releases {
            do {
                releases[record.name, default: []].append(try open(record))
            } catch let error as BundleError where error.code == .storeUnavailable {
                throw error
            } catch {
                noteDamage(to: record, error)
                if let release = unopened(record, damage.last) { unreadable[record.name, default: []].append(release) }
            }
        }
        let activeRows = Dictionary(
            contents.damage.filter(\.isOfActiveRow).compactMap { row in row.bundle.map { ($0, row) } },
            uniquingKeysWith: { first, _ in first }
        )
        let names = Set(releases.keys).union(unreadable.keys).union(activeRows.keys)
        let bundles = names.map { name in
            let (releases, damaged) = (releases[name] ?? [], unreadable[name] ?? [])
            let bundle = InstalledBundle(
                name,
                releases,
                damaged: damaged,
                damagedRow: activeRows[name],
                publisher: contents.publishers[name],
                lifecycle: contents.lifecycles[name] ?? BundleLifecycle()
            )
            return (name, bundle)
        }
        return StoreSnapshot(
            bundles: Dictionary(uniqueKeysWithValues: bundles),
            damage: damage,
            generation: contents.generation,
            revision: Self.lastRevision.add(1, ordering: .relaxed).newValue
        )
    }

    /// A release that can't be opened, with what the catalog records of it; nil when its manifest can't be read either.
    private func unopened(_ record: ReleaseRecord, _ damage: StoreDamage?) -> Release? {
        let release = try? Release(
            record,
            index: VersionIndex(unreadable: record.index, in: layout),
            segments: [],
            newerSegments: [],
            earlier: nil,
            openingDamage: damage,
            missing: [layout.index(record.index): MappedFile.Stamp(layout.index(record.index))],
            damageHandler: damageHandler
        )
        return release.flatMap { $0.manifest.isOf(record.name, record.version) ? $0 : nil }
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
            missing: missing(segments, of: index),
            damageHandler: damageHandler
        )
        guard release.manifest.isOf(record.name, record.version) else {
            throw BundleError(
                .storeDamaged,
                "row \(record.id) of the catalog's releases has the manifest of \(release.manifest.name)@"
                    + "\(release.manifest.version)"
            )
        }
        return release
    }

    private func missing(_ segments: [Segment?], of index: VersionIndex) -> [FilePath: MappedFile.Stamp?] {
        var missing: [FilePath: MappedFile.Stamp?] = [:]
        for (segment, identifier) in zip(segments, index.segments) where segment == nil {
            let path = layout.segment(identifier)
            missing.updateValue(MappedFile.Stamp(path), forKey: path)
        }
        return missing
    }

    private mutating func noteDamage(to record: ReleaseRecord, _ error: any Error) {
        let (error, problem) = (error as? BundleError, "\(error)")
        let isNewer = error?.code == .newerFormat
        damage.append(
            StoreDamage(
                bundle: record.name,
                version: record.version,
                error?.problem ?? problem,
                isNewer ? error?.remedy : error?.remedy ?? .repair(.release),
                isNewer: isNewer
            )
        )
    }

    /// Throws when the process, not the file, is at fault: a file that can be read later isn't damaged. One that this user may
    /// not read is lost to its own bundle alone, as long as that is so.
    private func throwIfItSaysNothing(of path: FilePath, _ error: any Error) throws(BundleError) {
        guard StorageFailure.isOfProcess(error), !StorageFailure.forbidsReading(error) else { return }
        throw BundleError(.storeUnavailable, "\(path) can't be read", failure: error)
    }

    private func remedy(for path: FilePath, _ error: any Error) -> Remedy? {
        StorageFailure.forbidsReading(error) ? FileOwner.remedy(for: path, in: layout) ?? .permitReading : nil
    }

    private func index(of record: ReleaseRecord) throws -> VersionIndex {
        do {
            let index = try VersionIndex(record.index, in: layout)
            guard !suspectIndexes.contains(record.index) || index.check() else {
                let path = layout.index(record.index)
                throw BundleError(.storeDamaged, "\(path) doesn't match its digest")
            }
            return index
        } catch let error as Errno {
            let path = layout.index(record.index)
            try throwIfItSaysNothing(of: path, error)
            throw BundleError(.storeDamaged, "\(path) can't be read (\(error))", remedy(for: path, error), cause: error)
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
            noteDamage(to: record, error)
            return nil
        } catch {
            try throwIfItSaysNothing(of: layout.segment(identifier), error)
            let problem = "segment \(identifier.name) can't be read (\(error))"
            let remedy = remedy(for: layout.segment(identifier), error) ?? .repair(.content)
            damage.append(StoreDamage(bundle: record.name, version: record.version, problem, remedy))
            return nil
        }
    }
}
