import BundleServing
import HTTPTypes

/// Writes the head of a response as HTTP/1.1 has it (RFC 9112 §4), with room for a `Date`, and without the empty line at its
/// end, so that `Connection: close` may follow.
struct HeadEncoder {
    /// The length of an IMF-fixdate in bytes (RFC 9110 §5.6.7).
    static let dateByteCount = 29

    /// The head's bytes.
    private(set) var bytes: [UInt8] = []
    /// Where the `Date` goes.
    let date: Range<Int>

    init(_ head: HTTPResponse) {
        bytes += "HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\nDate: ".utf8
        date = bytes.count..<bytes.count + Self.dateByteCount
        bytes += repeatElement(HeadEncoder.space, count: Self.dateByteCount)
        bytes += "\r\n".utf8
        for field in head.headerFields where field.name != .date && field.name != .connection {
            bytes += "\(field.name.rawName): \(field.value)\r\n".utf8
        }
    }

    private static let space = UInt8(ascii: " ")
}
