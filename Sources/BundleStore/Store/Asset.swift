/// One file of a release. Holding it keeps the release's mapped files readable.
///
/// Immutable; safe to share between threads.
public struct Asset: Sendable {
    /// The release that has it.
    public let release: Release
    private let entry: IndexEntry

    init(entry: IndexEntry, release: Release) {
        self.entry = entry
        self.release = release
    }

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
        let mediaTypes = release.index.mediaTypes
        return mediaTypes.indices.contains(entry.mediaType) ? mediaTypes[entry.mediaType] : "application/octet-stream"
    }

    /// Where the content is, or nil when the segment is missing or damaged.
    var location: ContentLocation? { release.location(of: entry) }

    /// The content, as a part of the mapped segment, or nil when the segment is missing or damaged.
    public var contents: ByteSlice? { release.contents(of: entry) }
}
