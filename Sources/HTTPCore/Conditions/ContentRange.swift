/// The value of `Content-Range` (RFC 9110 §14.4).
package enum ContentRange {
    /// The value for a part; `range` isn't empty.
    package static func value(_ range: Range<Int>, length: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    }

    /// The value for a 416.
    package static func unsatisfied(length: Int) -> String { "bytes */\(length)" }
}
