import BundleModel
import HTTPTypes

/// The value of a `Range` field in the unit `bytes` (RFC 9110 §14.2). A value type; safe to share between threads.
public struct ByteRangeSet: Hashable, Sendable {
    /// What is sent for a set of ranges.
    public enum Selection: Hashable, Sendable {
        /// The whole content, as if there were no ranges: 200.
        case whole
        /// One to ``maximumPartCount`` parts, none of them empty or adjacent to another: 206.
        case parts([Range<Int>])
        /// No range is within the content: 416.
        case unsatisfiable
    }

    /// The largest number of parts in a response.
    public static let maximumPartCount = 16

    /// The ranges in the requested order; at least one.
    public let ranges: [ByteRange]

    /// Parses a field value. An offset too large for 64 bits counts as the largest one.
    ///
    /// - Returns: nil when the field must be ignored: another unit, no range, or one that is malformed or ends before
    ///   it starts (§14.1.1).
    public init?(_ fieldValue: String) {
        self.init(scanning: FieldScanner(fieldValue))
    }

    /// The same for the bytes of a field value.
    init?(_ fieldValue: UnsafeRawBufferPointer) {
        self.init(scanning: FieldScanner(fieldValue))
    }

    private init?<Text>(scanning fieldValue: FieldScanner<Text>) {
        var scanner = fieldValue
        scanner.skipWhitespace()
        guard let unit = scanner.token(), unit.lazy.map(\.asciiLowercased).elementsEqual("bytes".utf8),
            scanner.take("=")
        else { return nil }
        var ranges: [ByteRange] = []
        while scanner.nextMember() {
            guard let range = scanner.byteRange(), scanner.memberEnds() else { return nil }
            ranges.append(range)
        }
        guard !ranges.isEmpty else { return nil }
        self.ranges = ranges
    }

    /// Decides what to send of content of `length` bytes.
    ///
    /// Ranges that overlap or are adjacent become one (§15.3.7.2), at the position of the first of them, so that no
    /// byte is sent twice however often it is requested (§14.2, §17.15). If more than ``maximumPartCount`` are left,
    /// the whole content is sent: joining them over their gaps could send as much, and no page requests that.
    public func selection(length: Int) -> Selection {
        if ranges.count == 1 {
            guard let part = ranges[0].resolved(in: length) else { return .unsatisfiable }
            return part.isEmpty ? .whole : .parts([part])
        }
        let satisfiable = ranges.compactMap { $0.resolved(in: length) }
        guard !satisfiable.isEmpty else { return .unsatisfiable }
        // Only a suffix of empty content is empty: satisfiable, but no Content-Range can say so.
        let parts = Self.joined(satisfiable.filter { !$0.isEmpty })
        return parts.isEmpty || parts.count > Self.maximumPartCount ? .whole : .parts(parts)
    }

    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [(place: Int, range: Range<Int>)] = []
        for (place, range) in ranges.enumerated().sorted(by: { $0.element.lowerBound < $1.element.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.range.upperBound {
                let end = max(last.range.upperBound, range.upperBound)
                joined[joined.count - 1] = (min(last.place, place), last.range.lowerBound..<end)
            } else {
                joined.append((place, range))
            }
        }
        return joined.sorted { $0.place < $1.place }.map(\.range)
    }
}

extension FieldScanner {
    fileprivate mutating func byteRange() -> ByteRange? {
        guard let first = number() else {
            return take("-") ? number().map(ByteRange.suffix) : nil
        }
        guard take("-") else { return nil }
        let last = number()
        return first <= last ?? .max ? .from(first, through: last) : nil
    }
}

/// One requested range in the unit `bytes` (RFC 9110 §14.1.2).
public enum ByteRange: Hashable, Sendable {
    /// From an offset through the offset of the last byte, which is included; nil for the end.
    case from(Int, through: Int?)
    /// This many bytes before the end.
    case suffix(Int)

    /// The offsets of this range in content of `length` bytes.
    ///
    /// - Returns: nil when the range can't be satisfied: it starts after the end, or is a suffix of no bytes. A suffix
    ///   of empty content is satisfiable and empty.
    public func resolved(in length: Int) -> Range<Int>? {
        switch self {
        case .from(let first, through: let last):
            guard first >= 0, first < length, first <= last ?? .max else { return nil }
            return first..<min(last ?? .max, length - 1) + 1
        case .suffix(let count):
            guard count > 0, length >= 0 else { return nil }
            return max(0, length - count)..<length
        }
    }
}

/// The value of `Content-Range` (RFC 9110 §14.4).
package enum ContentRange {
    /// The value for a part; `range` isn't empty.
    package static func value(_ range: Range<Int>, length: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    }

    /// The value for a 416.
    package static func unsatisfied(length: Int) -> String { "bytes */\(length)" }
}

/// Several parts of a content in one body: `multipart/byteranges` (RFC 9110 §14.6).
package struct MultipartByteRanges {
    package let boundary: String
    package let body: ResponseBody

    /// - Parameters:
    ///   - ranges: The parts, each inside `content`.
    ///   - contentType: The `Content-Type` of the whole content, repeated in every part (§15.3.7.2).
    ///   - tag: The content's tag, if any.
    package init(_ ranges: [Range<Int>], of content: ByteSlice, contentType: String?, tag: EntityTag?) {
        boundary = Self.boundary(ranges, length: content.count, tag: tag)
        var parts: [ByteSlice] = []
        for (index, range) in ranges.enumerated() {
            var head = index == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
            if let contentType { head += "Content-Type: \(contentType)\r\n" }
            head += "Content-Range: \(ContentRange.value(range, length: content.count))\r\n\r\n"
            parts.append(ByteSlice(copying: Array(head.utf8)))
            parts.append(content[range])
        }
        parts.append(ByteSlice(copying: Array("\r\n--\(boundary)--\r\n".utf8)))
        body = ResponseBody(parts)
    }

    package var contentType: String { "multipart/byteranges; boundary=\(boundary)" }

    /// 128 bits of a hash. It is the same for the same response, and content contains it only by an accident as rare as
    /// a hash collision: the hash includes the content's tag, which comes from its digest.
    private static func boundary(_ ranges: [Range<Int>], length: Int, tag: EntityTag?) -> String {
        let seed = "\(tag?.fieldValue ?? "") \(length) \(ranges)"
        return String(Digest(of: Array(seed.utf8)).hex.prefix(32))
    }
}

extension HTTPResponse {
    /// The same as the head of a part (RFC 9110 §15.3.7).
    ///
    /// - Parameter length: The length of the whole in bytes; nil when it isn't known.
    package func partial(_ range: Range<Int64>, of length: Int64?) -> HTTPResponse {
        var head = HTTPResponse(status: .partialContent, headerFields: headerFields)
        head.headerFields[.acceptRanges] = "bytes"
        let total = length.map(String.init) ?? "*"
        head.headerFields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        head.headerFields[.contentLength] = String(range.count)
        return head
    }

    /// The part that a 206 has, from its Content-Range (RFC 9110 §14.4), and the length of the whole, nil when it isn't
    /// known. Nil when the field is missing or malformed, or contradicts the content's length.
    package var receivedPart: (range: Range<Int64>, length: Int64?)? {
        guard status == .partialContent, headerFields[values: .contentRange].count == 1,
            let value = headerFields[.contentRange], value.lowercased().hasPrefix("bytes ")
        else { return nil }
        let parts = value.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) } ?? []
        guard parts.count == 2, ends.count == 2, let first = ends[0], let last = ends[1], first <= last else {
            return nil
        }
        let length = Self.number(parts[1])
        guard length != nil || parts[1] == "*", last < length ?? .max else { return nil }
        let range = first..<last + 1
        if let sent = headerFields[.contentLength], Int64(sent) != Int64(range.count) { return nil }
        return (range, length)
    }

    /// At most 18 digits, which can't overflow.
    private static func number(_ digits: Substring) -> Int64? {
        guard (1...18).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(digits)
    }
}
