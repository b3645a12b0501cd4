/// One file of a release. Holding it keeps the release's mapped files readable.
///
/// Immutable; safe to share between threads.
public struct Asset: Sendable {
    /// The release that has it.
    public let release: Release
    // Not the entry itself, to be quickly copied.
    private let number: Int

    /// - Parameter number: Of one of the release's entries.
    init(number: Int, release: Release) {
        self.number = number
        self.release = release
    }

    private var entry: IndexEntry { release.index[number] }

    /// The path, as it was in the archive after normalisation.
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

    /// The header fields that the manifest sets for the file, ordered by name; no name appears twice. Determined at
    /// the first use.
    public var headerFields: [HeaderField] { release.headerFields?.fields(ofEntry: number) { path } ?? [] }

    /// Whether ``headerFields`` takes microseconds. False before their first use when the manifest has many patterns:
    /// comparing these with a long path takes milliseconds, which is too long for an event loop.
    public var hasReadyHeaderFields: Bool {
        release.headerFields.map { table in
            table.isReady(forEntry: number, pathByteCount: release.index.name(of: entry)?.count ?? 0)
        } ?? true
    }

    /// Where the content is, or nil when the segment is missing or damaged.
    var location: ContentLocation? { release.location(of: entry) }

    /// The content, as a part of the mapped segment, or nil when it is missing or isn't what its digest says. The first read
    /// since the store was opened hashes it; later ones cost next to nothing.
    public var contents: ByteSlice? { release.intactContents(of: entry) }

    /// The content as it is, for who compares it with the digest himself; nil when the segment is missing or shorter.
    var uncheckedContents: ByteSlice? { release.contents(of: entry) }
}
