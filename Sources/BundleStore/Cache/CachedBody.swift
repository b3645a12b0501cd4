/// A complete body, or a part of one, that isn't stored yet.
package struct CachedBody: Sendable {
    /// The bytes.
    package let content: ByteSlice
    /// Nil when the body belongs into the catalog.
    let file: CachedBodyFile?
    let digest: Digest
}
