import struct Crypto.SHA256

/// Repairs the damage that verifying a store has found. Sources offer contents, and ``commit(waits:)`` stores those
/// with the right digest, all at once. Until then the store is unchanged, except for catalog rows that don't say what
/// they belong to.
///
/// Nothing is pruned while it exists. Not thread-safe.
public final class StoreRepair {
    package let store: BundleStore
    private let verification: StoreVerification
    private let name: BundleName?
    // Held, because without the lock the written files would count as orphans.
    private let lock: FileLock
    private let writer: SegmentWriter
    private var hasher = SHA256()
    private var currentByteCount: UInt64 = 0
    /// The lengths of the missing contents, by digest.
    private var missingByteCounts: [Digest: UInt64] = [:]
    /// How many missing contents have each length.
    private var missingCounts: [UInt64: Int] = [:]
    private var places: [Digest: (location: ContentLocation, source: String)] = [:]
    /// What has been repaired in the catalog alone.
    private var repairedRows: [RepairReport.Repaired]
    private var reinstalled: [RepairReport.Repaired] = []
    /// The places that were searched for the right bytes.
    private var attempts: [RepairReport.Attempt] = []

    init(
        _ store: BundleStore,
        of name: BundleName?,
        pace: ReadingPace,
        progress: (ByteProgress) -> Void
    ) throws {
        self.store = store
        self.name = name
        // First, so that the releases that this restores are verified too.
        repairedRows = try store.catalog.repair.generation()
        repairedRows += try store.catalog.repair.releaseRows()
        repairedRows += try store.catalog.repair.bundles()
        repairedRows += try store.catalog.publishers.repair()
        verification = try store.verification(of: name, pace: pace, progress: progress)
        // Not before: verification may take long, and pruning waits for the lock.
        lock = try StoreLock.share(store.layout)
        writer = try SegmentWriter(in: store.layout)
        for file in verification.repairableFiles {
            missingByteCounts[file.asset.digest] = UInt64(clamping: file.asset.byteCount)
        }
        for byteCount in missingByteCounts.values { missingCounts[byteCount, default: 0] += 1 }
    }

    deinit {
        writer.discard()
    }

    /// Whether every damaged file's content has been found.
    public var isComplete: Bool { missingByteCounts.isEmpty }

    /// The files whose contents are still missing, in the order of releases and paths.
    public var missingFiles: [Asset] {
        verification.repairableFiles.map(\.asset).filter { missingByteCounts[$0.digest] != nil }
    }

    /// The releases that can't be repaired from contents and have to be installed again, with their manifests if these
    /// can be read.
    package var damagedReleases: [(name: BundleName, version: BundleVersion, manifest: BundleManifest?)] {
        verification.damagedReleases.filter { damaged in
            !reinstalled.contains { $0.name == damaged.name && $0.version == damaged.version }
        }
        .map { ($0.name, $0.version, $0.release?.manifest) }
    }

    /// Whether a content of this length is missing.
    package func wants(byteCount: UInt64) -> Bool { missingCounts[byteCount, default: 0] > 0 }

    func wants(_ digest: Digest, byteCount: UInt64) -> Bool { missingByteCounts[digest] == byteCount }

    /// Appends bytes to the offered content.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when they can't be written.
    package func append(_ bytes: UnsafeRawBufferPointer) throws {
        hasher.update(bufferPointer: bytes)
        currentByteCount += UInt64(bytes.count)
        try StoreAccess.run(at: store.path) { try writer.append(bytes) }
    }

    /// Ends the offered content; the next ``append(_:)`` starts another.
    ///
    /// - Parameter source: The source of the content, for the report.
    /// - Returns: Whether the content was missing.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be written.
    package func endContent(from source: String) throws -> Bool {
        let digest = Digest(hasher.finalize())
        guard wants(digest, byteCount: currentByteCount) else {
            try dropContent()
            return false
        }
        missingByteCounts[digest] = nil
        missingCounts[currentByteCount, default: 1] -= 1
        places[digest] = (writer.endContent(), source)
        beginContent()
        return true
    }

    /// Discards the offered content.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func dropContent() throws {
        if currentByteCount > 0 { try StoreAccess.run(at: store.path) { try writer.dropContent() } }
        beginContent()
    }

    /// Records that a release has been installed again.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - version: The version.
    ///   - source: The source of the release, for the report.
    package func noteReinstallation(of name: BundleName, _ version: BundleVersion, from source: String) {
        reinstalled.append(RepairReport.Repaired(reinstalled: name, version, source: source))
    }

    /// Records a place that was searched for the right bytes.
    ///
    /// - Parameters:
    ///   - place: An archive's path, a URL, or a part of the store.
    ///   - outcome: The outcome, as a phrase for a message.
    package func noteAttempt(at place: String, _ outcome: String) {
        attempts.append(RepairReport.Attempt(place: Printable.line(place), outcome: Printable.line(outcome)))
    }

    /// The manifest that counts for a bundle, if one can be read.
    package func currentManifest(of name: BundleName) -> BundleManifest? {
        store.snapshot.bundles[name]?.current?.manifest
    }

    /// How many contents are still missing.
    package var missingContentCount: Int { missingByteCounts.count }

    /// Whether nothing remains to be found: no content, and no release that has to be installed again.
    package var needsNothing: Bool { isComplete && damagedReleases.isEmpty }

    /// Stores what was found and refreshes the store.
    ///
    /// - Parameter waits: Whether to wait for other processes that work on the affected bundles.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when there is one and `waits` is false,
    ///   `storeUnavailable` when the store can't be written. Call it only once.
    public func commit(waits: Bool) throws -> RepairReport {
        try StoreAccess.run(at: store.path) {
            try repairSegmentLists()
            try dropResponses()
            let relocated = places.isEmpty ? [:] : try relocate(waits: waits)
            // A release that was installed again may be the only source for its bundle's row.
            repairedRows += try store.catalog.repair.bundles()
            try store.refresh()
            let report = try report(relocated)
            // Contents that were found intact, or were repaired, may still count as damaged in open releases.
            if report.damage.isEmpty { try store.reopen() }
            return report
        }
    }

    private func beginContent() {
        hasher = SHA256()
        currentByteCount = 0
    }
}

extension StoreRepair {
    private func repairSegmentLists() throws {
        guard !verification.misledReleases.isEmpty else { return }
        let releases = verification.misledReleases
        let repaired = try store.catalog.repair.segmentLists(of: releases.map { ($0.record.id, $0.index) })
        repairedRows += releases.filter { repaired.contains($0.record.id) }.map {
            RepairReport.Repaired($0.name, $0.version, source: "its index")
        }
    }

    private func dropResponses() throws {
        for response in verification.damagedResponses {
            try store.cache.drop(damaged: response.id)
            let (name, version) = (response.damage.bundle, response.damage.version)
            repairedRows.append(RepairReport.Repaired(dropped: response.label, name, version))
        }
    }

    /// Returns the new indexes, keyed by the old ones.
    private func relocate(waits: Bool) throws -> [FileIdentifier: FileIdentifier] {
        let damaged = verification.damagedExtents
        let locations = Set(damaged.flatMap { segment, problems in problems.keys.map { $0.location(in: segment) } })
        let relocation = Relocation(
            layout: store.layout,
            catalog: store.catalog,
            segments: Set(damaged.keys),
            destination: { [places] digest, location in
                locations.contains(location) ? places[digest]?.location : nil
            }
        )
        return try withAffectedBundlesLocked(waits: waits) {
            try store.refresh()
            _ = try writer.finish()
            var relocated: [RelocatedRelease] = []
            defer { if relocated.isEmpty { try? Durable.remove(store.layout.segment(writer.identifier)) } }
            relocated = try relocation.prepare(store.snapshot.releases.filter { !$0.isNewer })
            try relocation.commit(relocated)
            return Dictionary(uniqueKeysWithValues: relocated.map { ($0.replacedIndex, $0.index) })
        }
    }

    /// Locks every bundle that refers to a damaged segment, in the order of their names: all code that locks several
    /// bundles uses this order.
    private func withAffectedBundlesLocked<Result>(waits: Bool, _ body: () throws -> Result) throws -> Result {
        try store.refresh()
        let segments = Set(verification.damagedExtents.keys)
        let names = Set(
            store.snapshot.releases.filter { !segments.isDisjoint(with: $0.index.segments) }.map(\.name)
        )
        let locks = try names.sorted().map { name in
            try StoreLock.take(store.layout, bundle: name, .exclusive, waits: waits)
        }
        return try withExtendedLifetime(locks, body)
    }

    private func report(_ relocated: [FileIdentifier: FileIdentifier]) throws -> RepairReport {
        let snapshot = try SnapshotLoader.load(store.catalog, store.layout, previous: nil)
        let indexes = Set(snapshot.releases.map(\.record.index))
        var repaired = repairedRows + reinstalled
        var damage = snapshot.damage.filter { name == nil || $0.bundle == name }
        damage += verification.damagedValues
        for release in verification.damagedReleases {
            guard let old = release.release, indexes.contains(old.record.index) else { continue }
            damage += verification.releaseDamage.filter { item in
                item.bundle == old.name && item.version == old.version && !damage.contains(item)
            }
        }
        for file in verification.damagedFiles {
            let release = file.asset.release
            let index = relocated[release.record.index] ?? release.record.index
            guard indexes.contains(index) else { continue }
            if let place = places[file.asset.digest], relocated[release.record.index] != nil {
                repaired.append(
                    RepairReport.Repaired(release.name, release.version, path: file.asset.path, source: place.source)
                )
            } else {
                damage.append(file.damage)
            }
        }
        return RepairReport(repaired: repaired, damage: damage, attempts: attempts)
    }
}

extension BundleStore {
    /// Verifies the store, or one bundle, and begins to repair the damage found.
    ///
    /// - Parameters: As for ``verify(_:pace:progress:)``.
    /// - Throws: As ``verify(_:pace:progress:)``; ``/BundleModel/BundleError`` with code `storeUnavailable` also when
    ///   the store can't be written.
    public func beginRepair(
        of name: BundleName? = nil,
        pace: ReadingPace = .fast,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> StoreRepair {
        try StoreAccess.run(at: path) { try StoreRepair(self, of: name, pace: pace, progress: progress) }
    }
}
