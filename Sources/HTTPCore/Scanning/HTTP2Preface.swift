/// The connection preface of an HTTP/2 client (RFC 9113 §3.4), which no HTTP/1 request begins with.
public enum HTTP2Preface {
    private static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Whether a connection that begins with `received` is HTTP/2; nil when more bytes are needed.
    public static func isPresent(in received: UnsafeRawBufferPointer) -> Bool? {
        let preface = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        let count = min(received.count, preface.count)
        guard received.prefix(count).elementsEqual(preface.prefix(count)) else { return false }
        return count == preface.count ? true : nil
    }
}
