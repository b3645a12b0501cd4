import BundleStore

/// A place in a text, which only moves forward, with its line. A value type.
struct ByteCursor {
    let bytes: [UInt8]
    private(set) var position = 0
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position >= bytes.count }
    /// The byte here; nil at the end.
    var byte: UInt8? { peek(0) }

    /// The byte `offset` further on; nil behind the end.
    func peek(_ offset: Int) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    mutating func skip(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    mutating func skip(while isWanted: (UInt8) -> Bool) {
        while let byte, isWanted(byte) { skip() }
    }

    /// The bytes up to the first that isn't wanted, which are skipped.
    mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        skip(while: isWanted)
        return bytes[start..<position]
    }

    /// Whether a text in lower case is here, in any case.
    func hasPrefix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            position + text.count <= bytes.count
                && zip(bytes[position...], text).allSatisfy { ASCII.isUppercase($0) ? $0 | 0x20 == $1 : $0 == $1 }
        }
    }

    /// Skips a string of CSS or JavaScript from its opening quote to its closing one, or to the end of the line.
    ///
    /// - Returns: Its text without backslashes; hexadecimal escapes, which URLs aren't written with, are left as they are.
    mutating func takeString() -> (text: String, isClosed: Bool) {
        let quote = byte
        skip()
        let start = position
        while let byte, byte != quote, byte != UInt8(ascii: "\n") {
            let isEscape = byte == UInt8(ascii: "\\")
            skip(isEscape ? peek(1) == UInt8(ascii: "\r") && peek(2) == UInt8(ascii: "\n") ? 3 : 2 : 1)
        }
        let text = bytes[start..<position].filter { $0 != UInt8(ascii: "\\") }
        let isClosed = byte == quote && !isAtEnd
        if isClosed { skip() }
        return (String(decoding: text, as: UTF8.self), isClosed)
    }

    /// Skips all up to and including a text, or to the end.
    mutating func skip(past text: StaticString) {
        while !isAtEnd, !hasPrefix(text) { skip() }
        skip(text.utf8CodeUnitCount)
    }
}

extension UInt8 {
    /// Whether it is white space of HTML and CSS.
    var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) && self != 0x0B }
    /// Whether it may be in a name of CSS or JavaScript; bytes beyond ASCII are.
    var isNameByte: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self >= 0x80
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || self == UInt8(ascii: "-")
    }
    /// Whether it may be in a name of JavaScript.
    var isIdentifierByte: Bool { isNameByte && self != UInt8(ascii: "-") }
}

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
