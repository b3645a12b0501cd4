extension BundleManifest {
    /// Whether `text` may name a channel: a token (RFC 9110 §5.6.2) of at most 64 bytes.
    package static func isChannel(_ text: String) -> Bool {
        HTTPSyntax.isToken(text) && text.utf8.count <= 64
    }
}
