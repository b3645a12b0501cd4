import HTTPCore
import HTTPTypes

/// The head of an HTTP/1.1 response (RFC 9112 §4), with room for a `Date`, and without the empty line at its end, so
/// that more fields can follow.
final class HTTP1Head {
    /// The length of an IMF-fixdate in bytes (RFC 9110 §5.6.7).
    static let dateByteCount = 29
    /// The maximum length of the lines of a ``ContentPart`` in bytes.
    static let maximumPartByteCount = 128

    private let bytes: [UInt8]
    /// The offset of the value of `Date`; nil when the response has its own.
    private let dateOffset: Int?

    /// - Parameter minorVersion: The request's minor version, 0 or 1.
    init(_ head: HTTPResponse, minorVersion: UInt8 = 1) {
        var bytes = Array("HTTP/1.\(minorVersion) \(head.status.code) \(head.status.standardReasonPhrase)\r\n".utf8)
        // An origin's own `Date` is kept: it still says when the response was generated (RFC 9110 §6.6.1).
        if head.headerFields.contains(.date) {
            dateOffset = nil
        } else {
            bytes += "Date: ".utf8
            dateOffset = bytes.count
            bytes += repeatElement(UInt8(ascii: " "), count: Self.dateByteCount)
            bytes += "\r\n".utf8
        }
        for field in head.headerFields where field.name != .connection && field.name != .transferEncoding {
            bytes += field.name.rawName.utf8
            bytes += ": ".utf8
            // As they are: they need not be UTF-8 (RFC 9110 §5.5).
            field.withUnsafeBytesOfValue { bytes += $0 }
            bytes += "\r\n".utf8
        }
        self.bytes = bytes
    }

    /// The head's length in bytes.
    var byteCount: Int { bytes.count }

    /// A copy of the head.
    func bytes(date: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
            if let target = target.baseAddress { copy(date: date, to: UnsafeMutableRawPointer(target)) }
            count = byteCount
        }
    }

    /// Copies the head.
    ///
    /// - Parameters:
    ///   - date: An IMF-fixdate.
    ///   - target: Has room for ``byteCount`` bytes.
    @inline(__always)
    func copy(date: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        bytes.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
        }
        guard let dateOffset, let date = date.baseAddress else { return }
        (target + dateOffset).copyMemory(from: date, byteCount: Self.dateByteCount)
    }
}
