extension HTTPURL {
    /// Whether nothing follows the host and port, as in the URL of a `Host` field's value (RFC 9110 §7.2).
    package var endsWithAuthority: Bool { path.isEmpty && !hasQuery && !hasFragment }
}
