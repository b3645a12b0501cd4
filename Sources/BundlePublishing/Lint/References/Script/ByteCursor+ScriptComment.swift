extension ByteCursor {
    /// Skips a comment of a script; nil, and nothing is skipped, when there is none here. One in a line is always closed.
    mutating func takeScriptComment() -> (text: ArraySlice<UInt8>, isClosed: Bool)? {
        if hasPrefix("//") {
            skip(2)
            return (take { $0 != UInt8(ascii: "\n") }, true)
        }
        guard hasPrefix("/*") else { return nil }
        skip(2)
        let start = position
        while !isAtEnd, !hasPrefix("*/") { skip() }
        let text = bytes[start..<position]
        let isClosed = !isAtEnd
        skip(2)
        return (text, isClosed)
    }
}
