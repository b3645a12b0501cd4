/// The value of `Content-Range` (RFC 9110 §14.4).
enum ContentRange {
    /// The value for a part; `range` isn't empty.
    static func value(_ range: Range<Int>, length: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    }

    /// The value for a 416.
    static func unsatisfied(length: Int) -> String { "bytes */\(length)" }
}
