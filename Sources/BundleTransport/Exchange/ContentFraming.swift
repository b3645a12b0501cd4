/// How the content of a request is delimited (RFC 9112 §6). A value type.
enum ContentFraming: Sendable, Equatable {
    /// There is none.
    case none
    /// By its length.
    case length(Int)
    /// By chunks.
    case chunked
}
