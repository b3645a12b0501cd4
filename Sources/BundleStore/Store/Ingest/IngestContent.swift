/// The content of a file that is being ingested.
struct IngestContent {
    let digest: Digest
    /// The number of the segment within the ingest.
    let segment: UInt32
    let offset: UInt64
    let byteCount: UInt64

    /// For entries without content.
    static let none = IngestContent(digest: .ofNothing, segment: 0, offset: 0, byteCount: 0)
}

extension Digest {
    /// The digest of no bytes.
    static let ofNothing = Digest(of: [])
}
