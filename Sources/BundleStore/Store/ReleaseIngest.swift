import Crypto
import Foundation

/// A release on its way into the store: contents are written as they come, and nothing refers to them until
/// ``commit(_:activating:replacing:waits:)``.
///
/// Not thread-safe. When it goes away without a commit, what it wrote is removed.
public final class ReleaseIngest {
    /// What a commit did.
    public enum Outcome: Sendable, Equatable {
        /// The release is new in the store, or took the place of one with other content.
        case installed
        /// The release was there already and has been made the active one.
        case activated
        /// The release was there already, as it was asked for; nothing has changed.
        case unchanged
    }

    private let store: BundleStore
    private let storeLock: FileLock
    // Held, so that the contents that are shared with them stay readable when they are removed meanwhile.
    private let known: [Release]
    private let writer: SegmentWriter
    private var files: [BundlePath: ContentRecord] = [:]

    private struct ContentRecord {
        let digest: Digest
        let location: ContentLocation
    }

    /// - Throws: ``BundleError`` with code `storeBusy` when the store is being pruned and `waits` is false,
    ///   `storeUnavailable` when the store can't be written.
    init(_ store: BundleStore, waits: Bool) throws {
        self.store = store
        storeLock = try StoreLock.take(store.layout, bundle: nil, .shared, waits: waits)
        try store.refresh()
        let known = store.snapshot.releases
        self.known = known
        writer = try SegmentWriter(in: store.layout) { digest in
            known.lazy.compactMap { $0.intactLocation(of: digest) }.first
        }
    }

    deinit {
        writer.discard()
    }

    /// The number of files so far.
    public var fileCount: Int { files.count }
    /// The sum of the files' lengths in bytes so far.
    public var byteCount: UInt64 { files.values.reduce(0) { $0 + $1.location.byteCount } }
    /// The paths of the files so far, in no order.
    public var paths: some Collection<BundlePath> { files.keys }
    /// The bytes of content that the store didn't have before.
    public var newByteCount: UInt64 { writer.newByteCount }

    /// Adds bytes to the content of the current file.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when they can't be written.
    public func append(_ bytes: UnsafeRawBufferPointer) throws {
        try BundleStore.accessing(store.path) { try writer.append(bytes) }
    }

    /// Ends the current file and gives it a path; the next ``append(_:)`` starts another.
    ///
    /// - Returns: False when a file has that path already; the new one is dropped.
    /// - Throws: ``BundleError`` with code `storeUnavailable`.
    public func endFile(_ path: BundlePath) throws -> Bool {
        let (digest, location) = try BundleStore.accessing(store.path) { try writer.endContent() }
        guard files[path] == nil else { return false }
        files[path] = ContentRecord(digest: digest, location: location)
        return true
    }

    /// Takes a folder that holds every file off all the paths.
    ///
    /// - Returns: False, and changes nothing, when a file lies outside the folder.
    public func stripFolder(_ folder: String) -> Bool {
        // By bytes, since a slash and a combining mark after it are one Character.
        let prefix = Array((folder + "/").utf8)
        var stripped: [BundlePath: ContentRecord] = [:]
        for (path, record) in files {
            let bytes = path.string.utf8
            guard bytes.starts(with: prefix),
                let rest = try? BundlePath(String(Substring(bytes.dropFirst(prefix.count))))
            else { return false }
            stripped[rest] = record
        }
        files = stripped
        return true
    }

    /// Whether there is a file with this path.
    public func contains(_ path: BundlePath) -> Bool { files[path] != nil }

    /// Makes everything durable and enters the release into the catalog, in one transaction with its activation.
    ///
    /// - Parameters:
    ///   - manifest: The release's name, version and rules.
    ///   - mediaType: The media type for a path and its content.
    ///   - activating: Whether the release becomes the active one.
    ///   - replacing: Whether it may take the place of the same version with other content.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Throws: ``BundleError`` with code `invalidArchive` when there is no file, `invalidManifest` when the manifest isn't
    ///   one that ``BundleManifest/parse(_:)`` takes, `versionConflict` when the version is there with other content and
    ///   `replacing` is false, `storeBusy`, `storeUnavailable`.
    public func commit(
        _ manifest: BundleManifest,
        mediaType: (BundlePath, ByteSlice) -> String,
        activating: Bool,
        replacing: Bool,
        waits: Bool
    ) throws -> Outcome {
        guard !files.isEmpty else { throw BundleError(.invalidArchive, "the archive holds no file; pack it again") }
        // A manifest may have been made without the parser, and it is the parser that reads it at every open.
        _ = try BundleManifest.parse(manifest.encoded())
        return try BundleStore.accessing(store.path) {
            try StoreLock.take(store.layout, bundle: manifest.name, .exclusive, waits: waits).whileHeld {
                try store.refresh()
                let contentDigest = contentDigest(manifest)
                if let existing = store.snapshot.bundles[manifest.name]?.release(manifest.version), !replacing {
                    guard existing.contentDigest == contentDigest else { throw Self.conflict(existing) }
                    if isIntact(existing) { return try reactivate(existing, activating: activating) }
                }
                try write(manifest, contentDigest: contentDigest, mediaType: mediaType, activating: activating)
                try store.refresh()
                return .installed
            }
        }
    }

    /// Whether a release with the same content as this one still has all of it: installing again is how damage is mended.
    private func isIntact(_ existing: Release) -> Bool {
        existing.index.isIntact()
            && files.allSatisfy { path, record in
                guard let asset = existing.asset(at: path), let contents = asset.contents else { return false }
                // A known content was read when it was found; only one that is elsewhere has to be read here.
                return asset.location == record.location || contents.withUnsafeBytes { Digest(of: $0) } == record.digest
            }
    }

    private func reactivate(_ existing: Release, activating: Bool) throws -> Outcome {
        guard activating, existing.state != .active else { return .unchanged }
        try store.catalog.reactivate(existing.record, at: store.now())
        try store.refresh()
        return .activated
    }

    private static func conflict(_ existing: Release) -> BundleError {
        BundleError(
            .versionConflict,
            "\(existing.name)@\(existing.version) is installed with other content; raise the version, "
                + "or replace it with --force"
        )
    }

    private func write(
        _ manifest: BundleManifest,
        contentDigest: Digest,
        mediaType: (BundlePath, ByteSlice) -> String,
        activating: Bool
    ) throws {
        let segment = try writer.finish() ? try Segment(writer.identifier, in: store.layout) : nil
        let index = FileIdentifier.random()
        let segments = readableSegments(and: segment)
        let indexWriter = try VersionIndexWriter(
            files.map { path, record in
                VersionIndexWriter.File(
                    path: path,
                    mediaType: mediaType(path, Self.contents(at: record.location, in: segments)),
                    digest: record.digest,
                    location: record.location
                )
            }
        )
        try indexWriter.write(index, in: store.layout)
        let release = NewRelease(
            name: manifest.name,
            version: manifest.version,
            manifest: manifest.encoded(),
            index: index,
            segments: indexWriter.referencedSegments,
            contentDigest: contentDigest,
            fileCount: files.count,
            byteCount: Int64(clamping: byteCount)
        )
        // From here on the files stay, even when the commit fails: whether it reached the disk can't be known, and what
        // nothing refers to is removed by the next open.
        let now = store.now()
        try store.catalog.insert(release, installedAt: now, activatedAt: activating ? now : nil)
    }

    private func readableSegments(and written: Segment?) -> [FileIdentifier: Segment] {
        let segments = known.flatMap(\.openSegments) + (written.map { [$0] } ?? [])
        return Dictionary(segments.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func contents(at location: ContentLocation, in segments: [FileIdentifier: Segment]) -> ByteSlice {
        let range = Int(location.offset)..<Int(location.offset + location.byteCount)
        return segments[location.segment]?.slice(range) ?? ByteSlice(copying: [])
    }

    /// Equal for equal paths, contents and manifests, however they were packed.
    private func contentDigest(_ manifest: BundleManifest) -> Digest {
        var hasher = SHA256()
        hasher.update(data: manifest.encoded())
        for (path, record) in files.sorted(by: { $0.key < $1.key }) {
            hasher.update(data: Array(path.string.utf8) + [0])
            record.digest.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        }
        return Digest(hasher.finalize())
    }
}

extension BundleStore {
    /// Begins to take in a release.
    ///
    /// - Parameter waits: Whether to wait while the store is being pruned.
    /// - Throws: ``BundleError`` with code `storeBusy` or `storeUnavailable`.
    public func beginIngest(waits: Bool = false) throws -> ReleaseIngest {
        try Self.accessing(path) { try ReleaseIngest(self, waits: waits) }
    }
}

extension Release {
    /// Where this release has a content, if it is still what it was: damage must not spread to new versions.
    fileprivate func intactLocation(of digest: Digest) -> ContentLocation? {
        guard let entry = index.find(digest: digest), let contents = contents(of: entry),
            contents.withUnsafeBytes({ Digest(of: $0) }) == digest
        else { return nil }
        return location(of: entry)
    }
}
