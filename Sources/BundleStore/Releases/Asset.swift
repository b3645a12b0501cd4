/// One file of a release. Holding it keeps the release's mapped files readable.
///
/// Immutable; safe to share between threads.
public struct Asset: Sendable {
    /// The release that has it.
    public let release: Release
    // A number instead of the entry: cheap to copy.
    private let number: Int

    /// - Parameter number: The number of the file's entry in the release's index.
    init(number: Int, release: Release) {
        self.number = number
        self.release = release
    }

    private var entry: IndexEntry { release.index[number] }

    /// The path in the archive, normalised.
    public var path: String {
        release.index.name(of: entry).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// SHA-256 of the content.
    public var digest: Digest { entry.digest }

    /// The length of the content in bytes.
    public var byteCount: Int { Int(clamping: entry.byteCount) }

    /// The value for `Content-Type`.
    public var mediaType: String {
        let (entry, mediaTypes) = (entry, release.index.mediaTypes)
        return mediaTypes.indices.contains(entry.mediaType) ? mediaTypes[entry.mediaType] : "application/octet-stream"
    }

    /// Why the content never changes under this path; nil when it may.
    public var immutability: Immutability? { mark.immutability }

    /// Where in the bytes of the path a hash of the content is; nil for a file that isn't immutable, or whose name has
    /// none.
    package var hashInPath: Range<Int>? { mark.hash }

    private var mark: NameMark {
        let entry = entry
        guard !release.index.marksNames else { return entry.mark }
        return release.index.name(of: entry).map(Fingerprint.mark) ?? .none
    }

    /// The header fields that the manifest sets for the file, ordered by name; no name appears twice. Determined on
    /// first use.
    public var headerFields: [HeaderField] { release.headerFields?.fields(ofEntry: number) { path } ?? [] }

    /// Whether ``headerFields`` is available in microseconds. False before the first use when the manifest has many
    /// patterns: matching these against a long path takes milliseconds, too long for an event loop.
    package var hasReadyHeaderFields: Bool {
        release.headerFields.map { table in
            table.isReady(forEntry: number, pathByteCount: release.index.name(of: entry)?.count ?? 0)
        } ?? true
    }

    /// Where the content is, or nil when the segment is missing or damaged.
    var location: ContentLocation? { release.location(of: entry) }

    /// The content, as a part of the mapped segment, or nil when it is missing or doesn't match its digest. The
    /// first read since the store was opened hashes the content; later reads cost next to nothing.
    public var contents: ByteSlice? { release.intactContents(of: entry) }

    /// The content without a digest check, for callers that check it themselves; nil when the segment is missing or
    /// shorter.
    var uncheckedContents: ByteSlice? { release.contents(of: entry) }
}

extension ContentProblem {
    /// The damage that this is to a file.
    func damage(to asset: Asset) -> StoreDamage {
        let (release, (problem, remedy)) = (asset.release, parts)
        return StoreDamage(
            bundle: release.name,
            version: release.version,
            path: asset.path,
            problem,
            remedy,
            isNewer: self == .newerFormat
        )
    }
}
