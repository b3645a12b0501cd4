/// The content of a file that is being taken in.
struct IngestContent {
    let digest: Digest
    /// The number that the ingest has given the segment.
    let segment: UInt32
    let offset: UInt64
    let byteCount: UInt64

    /// For what has no content.
    static let none = IngestContent(digest: .ofNothing, segment: 0, offset: 0, byteCount: 0)
}

extension Digest {
    /// The digest of no bytes.
    static let ofNothing = Digest(of: [])
}
