import BundleStore

/// A representation's content in a coding (RFC 9110 §8.4): another representation of the same resource.
///
/// A value type; safe to share between threads.
package struct ContentVariant: Sendable {
    /// The coding; not `identity`.
    package let coding: ContentCoding
    /// The bytes in that coding.
    package let content: ByteSlice
    /// The tag of these bytes, which no other coding of the content has (§8.8.3.3).
    package let entityTag: EntityTag

    /// Creates the variant of a coded form.
    package init(_ key: VariantKey, _ content: ByteSlice) {
        coding = key.coding
        self.content = content
        entityTag = EntityTag(key)
    }
}
