/// A part of a response's content, and the fields that describe it (RFC 9110 §14.4, §8.6).
struct ContentPart {
    /// The part's range in the content; not empty.
    let range: Range<Int>
    /// The length of the whole content in bytes.
    let length: Int

    /// The two field lines; no longer than ``HTTP1Head/maximumPartByteCount``.
    var lines: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(HTTP1Head.maximumPartByteCount)
        lines += "Content-Range: ".utf8
        appendContentRange(to: &lines)
        lines += "\r\nContent-Length: ".utf8
        Self.append(range.count, to: &lines)
        lines += "\r\n".utf8
        return lines
    }

    /// The value of `Content-Range`.
    var contentRange: [UInt8] {
        var value: [UInt8] = []
        appendContentRange(to: &value)
        return value
    }

    /// The value of `Content-Length`.
    var contentLength: [UInt8] {
        var value: [UInt8] = []
        Self.append(range.count, to: &value)
        return value
    }

    private func appendContentRange(to bytes: inout [UInt8]) {
        bytes += "bytes ".utf8
        Self.append(range.lowerBound, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(range.upperBound - 1, to: &bytes)
        bytes.append(UInt8(ascii: "/"))
        Self.append(length, to: &bytes)
    }

    /// - Parameter number: At least 0.
    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
