import SystemPackage

extension BundleStore {
    /// Reads every release, or those of one bundle, and the cached responses, and compares them with their digests. A
    /// content that several files share is read once. The memory used doesn't depend on the size of the store.
    ///
    /// - Parameters:
    ///   - name: The bundle, or nil for all.
    ///   - pace: How fast to read.
    ///   - progress: Called now and then with the bytes of the segments that are read.
    /// - Returns: The damage found: each affected file and response, and releases that can't be read as a whole. Empty
    ///   when there is none.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read,
    ///   `invalidArgument` when there is no bundle of that name; `CancellationError` when the task is cancelled.
    public func verify(
        _ name: BundleName? = nil,
        pace: ReadingPace = .fast,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> [StoreDamage] {
        try verification(of: name, pace: pace, progress: progress).damage
    }

    /// As above, with the details that a repair needs.
    func verification(
        of name: BundleName?,
        pace: ReadingPace = .fast,
        progress: (ByteProgress) -> Void
    ) throws -> StoreVerification {
        try StoreAccess.run(at: path) {
            var verification = try releaseVerification(of: name, pace: pace, progress: progress)
            verification.damagedResponses = try cache.damagedResponses(of: name, pace: pace)
            if name == nil { verification.damagedValues = try damagedValues() }
            return verification
        }
    }

    /// Damage to the catalog's single values, which belong to no bundle.
    private func damagedValues() throws -> [StoreDamage] {
        try (catalog.storage.isQuotaDamaged() ? [.quota] : []) + (catalog.isGenerationDamaged() ? [.generation] : [])
            + (catalog.publishers.areDamaged() ? [.publishers] : [])
    }

    private func releaseVerification(
        of name: BundleName?,
        pace: ReadingPace = .fast,
        progress: (ByteProgress) -> Void
    ) throws -> StoreVerification {
        var isRepeated = false
        while true {
            if let name {
                try refresh()
                _ = try bundle(name)
            }
            // Opened again, because a mapped file doesn't show that it was deleted.
            let snapshot = try SnapshotLoader.load(catalog, layout, previous: nil)
            let segmentLists = try catalog.releases.segmentLists()
            do {
                let verification = try StoreVerification(
                    of: snapshot,
                    segmentLists,
                    only: name,
                    in: layout,
                    pace: pace,
                    progress: progress
                )
                guard try !verification.damage.isEmpty && catalog.generation() != snapshot.generation else {
                    return verification
                }
                // A release that another process removes takes its files with it: only what is still installed is
                // damaged.
                return verification.limited(to: try SnapshotLoader.load(catalog, layout, previous: nil))
            } catch {
                try Task.checkCancellation()
                guard try !isRepeated && catalog.generation() != snapshot.generation else { throw error }
                isRepeated = true
            }
        }
    }
}

/// The result of reading a store completely.
struct StoreVerification {
    /// A file whose content doesn't match its digest.
    struct DamagedFile {
        let asset: Asset
        let problem: ContentProblem

        var damage: StoreDamage { problem.damage(to: asset) }
    }

    /// A release that can't be read as a whole.
    struct DamagedRelease {
        let name: BundleName
        let version: BundleVersion
        /// The release, when it can be opened at all.
        let release: Release?
    }

    /// Damage to a release as a whole: its row in the catalog, its index, its segments.
    private(set) var releaseDamage: [StoreDamage] = []
    /// The releases that repairing contents can't restore.
    private(set) var damagedReleases: [DamagedRelease] = []
    /// In the order of releases and paths.
    private(set) var damagedFiles: [DamagedFile] = []
    /// The releases whose references the catalog doesn't record correctly.
    private(set) var misledReleases: [Release] = []
    /// By segment.
    private(set) var damagedExtents: [FileIdentifier: [ContentExtent: ContentProblem]] = [:]

    /// Damaged cached responses.
    var damagedResponses: [DamagedResponse] = []
    /// Damage to the catalog's single values.
    var damagedValues: [StoreDamage] = []

    private let layout: StoreLayout
    private let pace: ReadingPace

    /// All damage, as reports.
    var damage: [StoreDamage] {
        releaseDamage + damagedFiles.map(\.damage) + damagedResponses.map(\.damage) + damagedValues
    }

    /// The damaged files, except those of releases that only a newer program may change.
    var repairableFiles: [DamagedFile] { damagedFiles.filter { !$0.asset.release.isNewer } }

    /// Reads the releases of `snapshot`, or those of one bundle.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; `Errno` when an index that was just read can no longer
    ///   be read.
    ///
    /// - Parameter segmentLists: The segments that each release refers to, according to the catalog.
    init(
        of snapshot: StoreSnapshot,
        _ segmentLists: [Int64: Set<String>],
        only name: BundleName?,
        in layout: StoreLayout,
        pace: ReadingPace,
        progress: (ByteProgress) -> Void
    ) throws {
        self.layout = layout
        self.pace = pace
        releaseDamage = snapshot.damage.filter { name == nil || $0.bundle == name }
        let releases = snapshot.releases.filter { name == nil || $0.name == name }
        let opened = Set(releases.map { "\($0.name)@\($0.version)" })
        let unopened = snapshot.bundles.values.flatMap(\.damaged)
        damagedReleases = releaseDamage.compactMap { damage in
            guard !damage.isNewer, let name = damage.bundle, let version = damage.version,
                !opened.contains("\(name)@\(version)")
            else {
                return nil
            }
            let release = unopened.first { $0.name == name && $0.version.string == version.string }
            return DamagedRelease(name: name, version: version, release: release)
        }
        let readable = try readableReleases(releases)
        for release in readable where segmentLists[release.record.id] ?? [] != Set(release.index.segments.map(\.name)) {
            misledReleases.append(release)
            releaseDamage.append(release.segmentListDamage)
        }
        try readSegments(of: readable, progress)
        if !damagedExtents.isEmpty { try nameFiles(of: readable) }
    }

    /// The same without damage to releases that `snapshot` doesn't have.
    func limited(to snapshot: StoreSnapshot) -> StoreVerification {
        let indexes = Set(snapshot.storedReleases.map(\.record.index))
        let versions = Set(snapshot.storedReleases.map { "\($0.name)@\($0.version)" })
        func isThere(_ name: BundleName?, _ version: BundleVersion?) -> Bool {
            guard let name, let version else { return snapshot.damage.contains { $0.bundle == name } }
            return versions.contains("\(name)@\(version)")
                || snapshot.damage.contains { $0.bundle == name && $0.version?.string == version.string }
        }
        var limited = self
        limited.releaseDamage.removeAll { !isThere($0.bundle, $0.version) }
        limited.damagedReleases.removeAll { !isThere($0.name, $0.version) }
        limited.damagedFiles.removeAll { !indexes.contains($0.asset.release.record.index) }
        limited.misledReleases.removeAll { !indexes.contains($0.record.index) }
        let segments = Set(limited.damagedFiles.flatMap(\.asset.release.index.segments))
        limited.damagedExtents = limited.damagedExtents.filter { segments.contains($0.key) }
        return limited
    }

    private mutating func readableReleases(_ releases: [Release]) throws -> [Release] {
        try releases.filter { release in
            try Task.checkCancellation()
            if release.isIndexIntact { return true }
            releaseDamage.append(
                StoreDamage(
                    bundle: release.name,
                    version: release.version,
                    "its index is damaged",
                    .repair(.release)
                )
            )
            damagedReleases.append(DamagedRelease(name: release.name, version: release.version, release: release))
            return false
        }
    }

    private mutating func readSegments(of releases: [Release], _ progress: (ByteProgress) -> Void) throws {
        let open = Dictionary(
            releases.flatMap(\.openSegments).map { ($0.identifier, $0.byteCount) },
            uniquingKeysWith: { first, _ in first }
        )
        let total = open.values.reduce(0) { $0 + Int64($1) }
        let newer = releases.reduce(into: Set<FileIdentifier>()) { $0.formUnion($1.newerSegments) }
        var done: Int64 = 0
        for segment in Set(releases.flatMap(\.index.segments)).sorted(by: { $0.value < $1.value }) {
            let byteCount = open[segment] ?? 0
            let contents = SegmentContents(segment: segment, releases: releases)
            let problems =
                newer.contains(segment)
                ? try contents.allExtents(are: .newerFormat)
                : try problems(of: contents, byteCount) {
                    progress(ByteProgress(done: done + Int64($0), total: total))
                }
            if !problems.isEmpty { damagedExtents[segment] = problems }
            done += Int64(byteCount)
            progress(ByteProgress(done: done, total: total))
        }
    }

    /// - Parameter byteCount: The length of the segment's file; 0 when readers can't use it, whatever its length.
    private func problems(
        of contents: SegmentContents,
        _ byteCount: Int,
        _ progress: (_ position: Int) -> Void
    ) throws -> [ContentExtent: ContentProblem] {
        let path = layout.segment(contents.segment)
        guard byteCount > 0 else {
            // The snapshot's damage says it of the whole segment, whose contents may be sound.
            return Self.isForbidden(path) ? [:] : try contents.allExtents(are: .missing)
        }
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            if StorageFailure.isOfProcess(error) { throw error }
            return try contents.allExtents(are: .missing)
        }
        var problems: [ContentExtent: ContentProblem] = [:]
        try file.closeAfter {
            let check = ExtentCheck(file: file, byteCount: byteCount, pace: pace)
            try contents.forEachExtents { extents in
                problems.merge(try check.problems(of: extents, progress: progress)) { first, _ in first }
            }
        }
        return problems
    }

    /// Whether this user may not read a file.
    private static func isForbidden(_ path: FilePath) -> Bool {
        do {
            try FileDescriptor.open(path, .readOnly, options: .closeOnExec).close()
            return false
        } catch {
            return StorageFailure.forbidsReading(error)
        }
    }

    private mutating func nameFiles(of releases: [Release]) throws {
        for release in releases {
            let segments = release.index.segments
            guard segments.contains(where: { damagedExtents[$0] != nil }) else { continue }
            try release.index.forEachEntry { entry in
                guard segments.indices.contains(entry.segment),
                    let problem = damagedExtents[segments[entry.segment]]?[ContentExtent(entry)]
                else { return }
                damagedFiles.append(DamagedFile(asset: Asset(number: entry.number, release: release), problem: problem))
            }
        }
    }
}

extension StoreDamage {
    static let publishers = StoreDamage(
        bundle: nil,
        version: nil,
        "the catalog doesn't tell of each bundle any more whose state browsers keep for it",
        .repair(.catalog)
    )

    static let quota = StoreDamage(
        bundle: nil,
        version: nil,
        "the quota is damaged, and counts as none",
        .setQuota
    )

    static let generation = StoreDamage(
        bundle: nil,
        version: nil,
        "the number of its changes is damaged, and the next change draws another",
        .repair(.catalog)
    )
}

extension SegmentContents {
    fileprivate func allExtents(are problem: ContentProblem) throws -> [ContentExtent: ContentProblem] {
        var problems: [ContentExtent: ContentProblem] = [:]
        try forEachExtents { for extent in $0 { problems[extent] = problem } }
        return problems
    }
}

extension Release {
    fileprivate var isIndexIntact: Bool { index.isIntact() && index.count == record.fileCount }

    fileprivate var segmentListDamage: StoreDamage {
        StoreDamage(
            bundle: name,
            version: version,
            "the catalog's list of its segments isn't what its index says",
            .repair(.catalog)
        )
    }
}
