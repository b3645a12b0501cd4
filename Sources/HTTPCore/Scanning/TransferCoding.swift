/// A compression of the message on one connection (RFC 9112 §7.2). A value type; safe to share between threads.
public enum TransferCoding: Sendable {
    /// RFC 1952.
    case gzip
    /// The zlib format (RFC 1950).
    case deflate

    /// `x-gzip` is another name of gzip. Nil for other codings, and for one with parameters.
    init?(_ name: UnsafeRawBufferPointer) {
        if name.isName("gzip") || name.isName("x-gzip") {
            self = .gzip
        } else if name.isName("deflate") {
            self = .deflate
        } else {
            return nil
        }
    }
}
