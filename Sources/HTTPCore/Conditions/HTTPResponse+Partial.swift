import HTTPTypes

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
