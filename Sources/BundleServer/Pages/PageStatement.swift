import BundleStore

/// What a page says of its release: `{"nonce": "…"}`, `{"message": "…"}`, or both. A value type.
struct PageStatement: Equatable {
    /// The longest content in bytes.
    static let maximumByteCount = 8 << 10

    let nonce: String?
    let message: String?

    /// - Throws: `BundleError` with code `invalidArgument` for anything but an object with texts.
    init(_ content: [UInt8]) throws(BundleError) {
        let root = try JSONElement(
            parsing: content,
            named: "the content",
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArgument
        )
        nonce = try root.member("nonce")?.string()
        message = try root.member("message")?.string()
    }
}
