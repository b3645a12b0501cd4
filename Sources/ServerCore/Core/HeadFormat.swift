/// The format in which a protocol sends a response's head.
enum HeadFormat: UInt8 {
    /// Lines (RFC 9112 §2.1).
    case http1
    /// A list of names and values, compressed when it is sent (RFC 9113 §8.3).
    case http2
}
