/// What a content coding or a delta saves when a response is sent whole.
package struct CodingSaving: Sendable, Hashable {
    /// Whether it is a delta to an earlier content (RFC 9842), and not a coding of the content alone.
    package let isDelta: Bool
    /// The length of the content without the coding, and with it, in bytes.
    package let (identityByteCount, codedByteCount): (Int, Int)

    /// Describes a coded content.
    package init(isDelta: Bool, identityByteCount: Int, codedByteCount: Int) {
        self.isDelta = isDelta
        self.identityByteCount = identityByteCount
        self.codedByteCount = codedByteCount
    }

    /// How many bytes weren't sent because of the coding; 0 when only a part was sent, or nothing.
    package func savedByteCount(sending byteCount: Int) -> Int {
        byteCount == codedByteCount ? max(identityByteCount - codedByteCount, 0) : 0
    }
}
