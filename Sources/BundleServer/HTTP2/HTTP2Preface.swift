import NIOCore

/// The bytes that an HTTP/2 client begins with (RFC 9113 §3.4), and no HTTP/1 client does.
enum HTTP2Preface {
    static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Whether a connection that begins with `received` is HTTP/2; nil when more has to come.
    static func isPresent(in received: ByteBufferView) -> Bool? {
        guard received.elementsEqual(bytes.prefix(received.count)) || received.starts(with: bytes) else { return false }
        return received.count >= bytes.count ? true : nil
    }
}
