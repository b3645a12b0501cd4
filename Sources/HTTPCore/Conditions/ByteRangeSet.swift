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
