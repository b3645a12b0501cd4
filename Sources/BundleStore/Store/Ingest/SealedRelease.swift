import Foundation

/// The files of a release that is completely written and checked, but in no catalog yet. A commit uses it up.
///
/// Not thread-safe. If it is released without a commit, what was written is removed.
public struct SealedRelease: ~Copyable {
    let files: IngestedFiles
    private var strippedByteCount = 0

    init(_ files: IngestedFiles) {
        self.files = files
    }

    /// The number of files, including those that links stand for.
    public var fileCount: Int { files.fileCount }
    /// The sum of the files' lengths in bytes.
    public var byteCount: UInt64 { files.byteCount }
    /// The folder that contains every file, if there is one that isn't stripped.
    package var topFolder: String? {
        guard strippedByteCount == 0, let folder = files.topFolder, !folder.isEmpty else { return nil }
        return String(decoding: folder.dropLast(), as: UTF8.self)
    }
    /// The number of content bytes that the store didn't have before.
    package var newByteCount: UInt64 { files.writer.newByteCount }

    /// As ``Release/filesDigest()``.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func filesDigest() throws -> Digest {
        try StoreAccess.run(at: files.store.path) { try contentDigest([]) }
    }

    /// Removes a folder that contains every file from all the paths.
    ///
    /// - Returns: False, with nothing changed, when a file lies outside the folder.
    package mutating func stripFolder(_ folder: String) -> Bool {
        let prefix = Array((folder + "/").utf8)
        guard files.topFolder == prefix else { return false }
        strippedByteCount = prefix.count
        return true
    }

    /// The members of `paths` that are files.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func files(among paths: Set<BundlePath>) throws -> Set<BundlePath> {
        var found: Set<BundlePath> = []
        guard !paths.isEmpty else { return found }
        let byteCounts = Set(paths.map(\.string.utf8.count))
        try StoreAccess.run(at: files.store.path) {
            try forEachFile { path, _ in
                guard byteCounts.contains(path.count) else { return }
                let path = BundlePath(valid: String(decoding: path, as: UTF8.self))
                if paths.contains(path) { found.insert(path) }
            }
        }
        return found
    }

    /// The paths of all files, in the order of their bytes; none when they aren't needed.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func paths(unless isUnneeded: Bool) throws -> [BundlePath] {
        var paths: [BundlePath] = []
        guard !isUnneeded else { return paths }
        try StoreAccess.run(at: files.store.path) {
            try forEachFile { path, _ in paths.append(BundlePath(valid: String(decoding: path, as: UTF8.self))) }
        }
        return paths
    }

    /// The content of the file at `path`, including one that a link stands for; nil when there is no such file.
    ///
    /// - Parameters:
    ///   - path: A file's path in the bundle.
    ///   - maximumByteCount: The maximum number of bytes to return.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func content(of path: BundlePath, atMost maximumByteCount: Int) throws -> [UInt8]? {
        var path = path.string
        return try StoreAccess.run(at: files.store.path) {
            var found: ContentLocation?
            try path.withUTF8 { wanted in
                try forEachFile { path, content in
                    if path.hasSameBytes(as: UnsafeRawBufferPointer(wanted)) { found = files.location(of: content) }
                }
            }
            return try found.map { try files.writer.read($0, atMost: maximumByteCount) }
        }
    }

    /// The bytes of a content.
    ///
    /// - Parameter maximumByteCount: The maximum number of bytes to return.
    /// - Throws: `Errno` when the ingested data can't be read.
    package func bytes(of content: IngestContent, atMost maximumByteCount: Int) throws -> [UInt8] {
        try files.writer.read(files.location(of: content), atMost: maximumByteCount)
    }

    /// Calls `body` for each file in the order of the paths' bytes, with a path that is valid only during the call.
    ///
    /// - Throws: What `body` throws, and `Errno` when the ingested data can't be read.
    package func forEachFile(_ body: (_ path: UnsafeRawBufferPointer, IngestContent) throws -> Void) throws {
        let strippedByteCount = strippedByteCount
        try files.forEach { path, content in
            try body(UnsafeRawBufferPointer(rebasing: path[strippedByteCount...]), content)
        }
    }
}

/// The result of an installation.
public enum InstallOutcome: String, Sendable, Encodable {
    /// The release is new in the store, or replaced one with different content.
    case installed
    /// The release was already installed and has been activated.
    case activated
    /// The release was already installed as requested; nothing has changed.
    case unchanged
}

extension SealedRelease {
    /// Makes everything durable, and adds the release to the catalog and activates it in one transaction.
    ///
    /// - Parameters:
    ///   - manifest: The release's name, version and rules.
    ///   - mediaType: The media type for a path and its content.
    ///   - marking: What the index says of the files' names.
    ///   - activating: Whether the release becomes the active one.
    ///   - replacing: Whether it may replace the same version with different content.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - waits: Whether to wait for another process that works on the bundle.
    ///   - check: Called with the bundle as it is, nil when there is none, while it is locked; what it throws ends the
    ///     installation.
    ///   - givesUpPrevious: Whether the version that a rollback would activate afterwards may be removed, as the last
    ///     one, when the quota has no room for both.
    /// - Returns: What has changed, and what was removed because the quota had no room for it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when there is no file, `invalidManifest` when
    ///   the manifest is too long, `versionConflict` when the version is installed with different content and
    ///   `replacing` is false, `originConflict` when it claims URLs of another bundle, `storeDamaged` when another
    ///   bundle's claims can't be read, `newerFormat` when a newer program has written that version, `quotaExceeded`
    ///   when the store would exceed its quota, `storeBusy`, `storeUnavailable`.
    public consuming func commit(
        _ manifest: BundleManifest,
        mediaType: (BundlePath, ByteSlice) -> String,
        marking: NameMarking,
        activating: Bool,
        replacing: Bool,
        permittingOverlapWith permitted: Set<BundleName> = [],
        waits: Bool,
        checking check: (InstalledBundle?) throws -> Void = { _ in },
        givingUpPrevious givesUpPrevious: Bool = false
    ) throws -> (outcome: InstallOutcome, quotaRemoval: QuotaRemoval) {
        guard fileCount > 0 else { throw BundleError(.invalidArchive, "the archive holds no file; pack it again") }
        let (store, nothing) = (files.store, QuotaRemoval())
        let encoded = try manifest.encodedForStore()
        return try StoreAccess.run(at: store.path) {
            try StoreLock.take(store.layout, bundle: manifest.name, .exclusive, waits: waits).whileHeld {
                try store.refresh()
                try store.snapshot.checkIsReplaceable(manifest.name, manifest.version)
                let contentDigest = try contentDigest(encoded)
                let bundle = store.snapshot.bundles[manifest.name]
                try check(bundle)
                let existing = bundle?.release(manifest.version) ?? bundle?.damagedRelease(manifest.version)
                if let existing, !replacing {
                    guard existing.contentDigest == contentDigest else {
                        throw BundleError(conflictWith: existing.name, existing.version)
                    }
                    if try isIntact(existing) {
                        return (try reactivate(existing, activating: activating, permitted), nothing)
                    }
                }
                let release = try write(
                    manifest,
                    encoded,
                    contentDigest: contentDigest,
                    mediaType: mediaType,
                    marking: marking
                )
                let quotaRemoval = try enter(
                    release,
                    activating: activating,
                    replacing: replacing,
                    permitted,
                    givingUpPrevious: givesUpPrevious
                )
                try store.refresh()
                return (.installed, quotaRemoval)
            }
        }
    }

    /// Whether an installed release with the same content is still complete: installing again is how damage is
    /// repaired.
    private func isIntact(_ existing: Release) throws -> Bool {
        guard existing.index.isIntact(), existing.fileCount == fileCount else { return false }
        let reader = ContentReader(files.store.layout)
        var number = 0
        var isIntact = true
        try forEachFile { path, content in
            guard isIntact, let entry = existing.index.entry(number),
                existing.index.name(of: entry)?.hasSameBytes(as: path) == true,
                let location = existing.location(of: entry)
            else {
                isIntact = false
                return
            }
            // A known content was read when it was found; only one at another location has to be read here.
            isIntact = location == files.location(of: content) || reader.holds(contentOf: content.digest, at: location)
            number += 1
            if number % Self.residentFileCount == 0 { existing.index.dropResidentPages() }
        }
        return isIntact
    }

    /// The number of files after which the resident pages of mapped files are released.
    private static let residentFileCount = 256

    private func reactivate(
        _ existing: Release,
        activating: Bool,
        _ permitted: Set<BundleName>
    ) throws -> InstallOutcome {
        let store = files.store
        guard activating, existing.state != .active else { return .unchanged }
        try store.catalog.releases.reactivate(existing.record, at: store.now(), permittingOverlapWith: permitted)
        try store.refresh()
        return .activated
    }

    /// Writes the release's files, which nothing refers to yet.
    private func write(
        _ manifest: BundleManifest,
        _ encoded: [UInt8],
        contentDigest: Digest,
        mediaType: (BundlePath, ByteSlice) -> String,
        marking: NameMarking
    ) throws -> NewRelease {
        let writer = files.writer
        let others = InstalledContents(of: files.store.snapshot.bundles[manifest.name]?.releases ?? [])
        let marks = try marking.marks(manifest, self, others)
        let written = try writer.finish() ? try Segment(writer.segmentIdentifier, in: files.store.layout) : nil
        let index = FileIdentifier.random()
        do {
            return NewRelease(
                name: manifest.name,
                version: manifest.version,
                manifest: encoded,
                index: index,
                segments: try writeIndex(index, with: written, mediaType: mediaType, mark: marks),
                contentDigest: contentDigest,
                fileCount: fileCount,
                byteCount: Int64(clamping: byteCount)
            )
        } catch {
            removeFiles(index)
            throw error
        }
    }

    private func enter(
        _ release: NewRelease,
        activating: Bool,
        replacing: Bool,
        _ permitted: Set<BundleName>,
        givingUpPrevious givesUpPrevious: Bool
    ) throws -> QuotaRemoval {
        let store = files.store
        let now = store.now()
        // Which releases stand in for damaged ones is known only after the indexes have been read.
        if try store.catalog.storage.hasQuota() { try store.checkIndexes() }
        do {
            return try store.catalog.releases.insert(
                release,
                replacing: replacing,
                installedAt: now,
                activatedAt: activating ? now : nil,
                permittingOverlapWith: permitted,
                keeping: store.fallbackReleases,
                givingUpPrevious: givesUpPrevious
            )
        } catch let error as BundleError
            where [.quotaExceeded, .originConflict, .versionConflict, .storeDamaged].contains(error.code)
        {
            removeFiles(release.index)
            throw error
        }
        // After any other failure the files are kept: whether the commit reached the disk is unknown, and the next
        // pruning removes unreferenced files.
    }

    private func removeFiles(_ index: FileIdentifier) {
        let layout = files.store.layout
        try? Durable.remove(layout.segment(files.writer.segmentIdentifier))
        try? Durable.remove(layout.index(index))
    }

    /// Writes the index and returns the segments that it refers to.
    private func writeIndex(
        _ identifier: FileIdentifier,
        with written: Segment?,
        mediaType: (BundlePath, ByteSlice) -> String,
        mark: (UnsafeRawBufferPointer, Digest) -> NameMark
    ) throws -> [FileIdentifier] {
        let writer = try IndexWriter(identifier, entryCount: fileCount, in: files.store.layout)
        let segments = readableSegments(and: written)
        var used: [Segment] = []
        var number = 0
        try forEachFile { path, content in
            let location = files.location(of: content)
            let segment = segments[Int(content.segment)]
            if let segment, used.last !== segment { used.append(segment) }
            let type = mediaType(
                BundlePath(valid: String(decoding: path, as: UTF8.self)),
                segment?.slice(Int(location.offset)..<Int(location.offset + location.byteCount))
                    ?? ByteSlice(copying: [])
            )
            try writer.add(
                path: path,
                mediaType: type,
                digest: content.digest,
                location: location,
                mark: mark(path, content.digest)
            )
            number += 1
            if number % Self.residentFileCount == 0 {
                // Reading the start of each file would eventually make all of them resident.
                for segment in used { segment.dropResidentPages() }
                used = []
            }
        }
        return try writer.finish()
    }

    /// The segments by the numbers that the contents refer to; nil for a segment that can't be read.
    private func readableSegments(and written: Segment?) -> [Segment?] {
        let segments = files.known.flatMap(\.openSegments) + (written.map { [$0] } ?? [])
        let byIdentifier = Dictionary(segments.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        return files.segmentIdentifiers.map { byIdentifier[$0] }
    }

    /// Equal for equal paths, contents and manifests, however they were packed.
    func contentDigest(_ manifest: [UInt8]) throws -> Digest {
        var digester = ReleaseDigester(manifest: manifest)
        try forEachFile { path, content in digester.add(path: path, content.digest) }
        return digester.digest()
    }
}

extension BundleManifest {
    /// The encoding that the catalog keeps.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when it is longer than the parser reads, which
    ///   the text that it was made of needn't be.
    fileprivate func encodedForStore() throws(BundleError) -> [UInt8] {
        let bytes = encoded()
        guard bytes.count <= Self.maximumByteCount else {
            let limit = Self.maximumByteCount
            throw BundleError(.invalidManifest, "\(Self.fileName): has \(bytes.count) bytes; the limit is \(limit)")
        }
        return bytes
    }
}

extension BundleError {
    /// The version is installed with different content.
    init(conflictWith name: BundleName, _ version: BundleVersion) {
        self.init(.versionConflict, "\(name)@\(version) is installed with other content", .replaceRelease)
    }
}
