import BundleModel

/// Validation of `Host` and `:authority`.
enum HostField {
    /// Whether a value is empty, or a host with an optional port and nothing else (RFC 9110 §7.2).
    static func isValid(_ value: String) -> Bool {
        guard !value.isEmpty else { return true }
        return (try? HTTPURL("http://\(value)"))?.endsWithAuthority ?? false
    }

    /// The same for the bytes of a value.
    static func isValid(_ value: UnsafeRawBufferPointer) -> Bool { isValid(String(decoding: value, as: UTF8.self)) }
}
