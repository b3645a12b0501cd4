import BundleStore

/// A representation's content in a coding (RFC 9110 §8.4): another representation of the same resource.
///
/// A value type; safe to share between threads.
public struct ContentVariant: Sendable {
    /// The coding; not `identity`.
    public let coding: ContentCoding
    /// The bytes in that coding.
    public let content: ByteSlice
    /// The tag of these bytes, which no other coding of the content has (§8.8.3.3).
    public let entityTag: EntityTag

    /// Describes the coded form of a content.
    ///
    /// - Parameter digest: That of the content without the coding.
    public init(_ coding: ContentCoding, _ content: ByteSlice, of digest: Digest) {
        self.coding = coding
        self.content = content
        entityTag = EntityTag(digest: digest, coding: coding)
    }
}
