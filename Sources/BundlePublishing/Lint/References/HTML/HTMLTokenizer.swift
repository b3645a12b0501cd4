/// The start tags of a page, and the texts of its scripts and styles: as much of WHATWG HTML §13.2.5 as that takes. Its time
/// grows with the length of the page alone, whatever is in it.
struct HTMLTokenizer {
    enum Token {
        case tag(HTMLTag)
        /// The text of the script or style whose tag came before.
        case text(ArraySlice<UInt8>, line: Int)
    }

    /// Elements whose content has no tags (§13.2.5.2, §13.2.5.3, §13.2.5.4).
    private static let rawTexts: Set<String> = [
        "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes",
    ]

    private var cursor: ByteCursor
    /// The element whose content has no tags, when the cursor is in one.
    private var rawText: String?

    init(_ bytes: [UInt8]) {
        cursor = ByteCursor(bytes)
    }

    /// Nil at the end.
    mutating func next() -> Token? {
        if let name = rawText {
            rawText = nil
            return text(of: name)
        }
        while !cursor.isAtEnd {
            cursor.skip { $0 != UInt8(ascii: "<") }
            if cursor.hasPrefix("<!--") {
                cursor.skip(4)
                skipComment()
            } else if cursor.hasPrefix("</") || cursor.hasPrefix("<!") || cursor.hasPrefix("<?") {
                cursor.skip(2)
                cursor.skip(past: ">")
            } else if cursor.peek(1).map({ $0 | 0x20 }).map({ (0x61...0x7A).contains($0) }) == true {
                let tag = tag()
                rawText = Self.rawTexts.contains(tag.name) ? tag.name : nil
                return .tag(tag)
            } else {
                cursor.skip()
            }
        }
        return nil
    }

    private mutating func skipComment() {
        // “<!-->” and “<!--->” are whole comments.
        if cursor.hasPrefix(">") || cursor.hasPrefix("->") { return cursor.skip(past: ">") }
        while !cursor.isAtEnd, !cursor.hasPrefix("-->"), !cursor.hasPrefix("--!>") { cursor.skip() }
        cursor.skip(past: ">")
    }

    private mutating func tag() -> HTMLTag {
        let line = cursor.line
        cursor.skip()
        let name = cursor.take { !$0.isBlank && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        var attributes: [String: String] = [:]
        while true {
            cursor.skip { $0.isBlank || $0 == UInt8(ascii: "/") }
            guard let byte = cursor.byte, byte != UInt8(ascii: ">") else { break }
            let (name, value) = attribute()
            if attributes[name] == nil { attributes[name] = value }
        }
        cursor.skip()
        return HTMLTag(name: Self.lowercased(name), attributes: attributes, line: line)
    }

    private mutating func attribute() -> (String, String) {
        let start = cursor.position
        // A name may begin with “=”.
        cursor.skip()
        cursor.skip { !$0.isBlank && !"/>=".utf8.contains($0) }
        let name = Self.lowercased(cursor.bytes[start..<cursor.position])
        cursor.skip(while: \.isBlank)
        guard cursor.byte == UInt8(ascii: "=") else { return (name, "") }
        cursor.skip()
        cursor.skip(while: \.isBlank)
        return (name, CharacterReferences.decode(value()))
    }

    private mutating func value() -> ArraySlice<UInt8> {
        guard let quote = cursor.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return cursor.take { !$0.isBlank && $0 != UInt8(ascii: ">") }
        }
        cursor.skip()
        let value = cursor.take { $0 != quote }
        cursor.skip()
        return value
    }

    private mutating func text(of name: String) -> Token? {
        let (start, line) = (cursor.position, cursor.line)
        while !cursor.isAtEnd, !isEnd(of: name) { cursor.skip() }
        return .text(cursor.bytes[start..<cursor.position], line: line)
    }

    /// Whether the end tag of an element is here.
    private func isEnd(of name: String) -> Bool {
        guard cursor.byte == UInt8(ascii: "<"), cursor.peek(1) == UInt8(ascii: "/") else { return false }
        for (offset, expected) in name.utf8.enumerated() {
            guard let byte = cursor.peek(offset + 2), byte | 0x20 == expected else { return false }
        }
        guard let next = cursor.peek(name.utf8.count + 2) else { return true }
        return next.isBlank || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
    }

    private static func lowercased(_ name: ArraySlice<UInt8>) -> String {
        String(decoding: name, as: UTF8.self).lowercased()
    }
}

/// A start tag. A value type.
struct HTMLTag {
    /// In lower case.
    let name: String
    /// By name in lower case; of several with one name the first counts (WHATWG HTML §13.2.5.33).
    let attributes: [String: String]
    let line: Int

    subscript(_ name: String) -> String? { attributes[name] }
}

/// Character references in attribute values (WHATWG HTML §13.2.5.72): numbers, and the names that URLs are written with.
enum CharacterReferences {
    private static let names: [String: Character] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    /// A longer name isn't one of these.
    private static let maximumByteCount = 10

    static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += String(decoding: rest[..<start], as: UTF8.self)
            let candidate = rest[(start + 1)...].prefix(maximumByteCount)
            if let end = candidate.firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: rest[(start + 1)..<end], as: UTF8.self))
            {
                text.append(character)
                rest = rest[(end + 1)...]
            } else {
                text += "&"
                rest = rest[(start + 1)...]
            }
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    private static func character(_ name: String) -> Character? {
        if let known = names[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
