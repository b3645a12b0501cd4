/// What a style sheet refers to: `url()`, `@import` and its source map (CSS Syntax §4). Pure.
package enum CSSReferences {
    package static func find(in bytes: [UInt8]) -> [Reference] {
        var scanner = CSSScanner(bytes)
        return scanner.references()
    }
}

/// Not a tokenizer of all of CSS: strings, comments and URLs are told from the rest.
private struct CSSScanner {
    private var cursor: ByteCursor
    private var found: [Reference] = []
    /// The kind of what the next URL or string is for; a string alone is none outside of `@import`.
    private var isImport = false
    private var isFontFace = false

    init(_ bytes: [UInt8]) {
        cursor = ByteCursor(bytes)
    }

    mutating func references() -> [Reference] {
        while let byte = cursor.byte {
            switch byte {
            case UInt8(ascii: "/") where cursor.peek(1) == UInt8(ascii: "*"): comment()
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let line = cursor.line
                let text = string()
                if isImport { add(text, line) }
            case UInt8(ascii: "@"): rule()
            case UInt8(ascii: ";"), UInt8(ascii: "{"): end(byte)
            case UInt8(ascii: "}"):
                isFontFace = false
                cursor.skip()
            case UInt8(ascii: "\\"): cursor.skip(2)
            default:
                if cursor.hasPrefix("url(") { url() } else if byte.isNameByte { name() } else { cursor.skip() }
            }
        }
        return found
    }

    /// A name that isn't “url(”, so that “curl(” isn't taken for it.
    private mutating func name() { cursor.skip(while: \.isNameByte) }

    private mutating func rule() {
        cursor.skip()
        let name = String(decoding: cursor.take(while: \.isNameByte), as: UTF8.self).lowercased()
        isImport = name == "import"
        isFontFace = name == "font-face"
    }

    private mutating func end(_ byte: UInt8) {
        isImport = false
        cursor.skip()
    }

    private mutating func comment() {
        let line = cursor.line
        cursor.skip(2)
        let start = cursor.position
        while !cursor.isAtEnd, !cursor.hasPrefix("*/") { cursor.skip() }
        let text = cursor.bytes[start..<cursor.position]
        cursor.skip(2)
        if let map = SourceMapComment.url(text) { found.append(Reference(map, .sourceMap, line: line)) }
    }

    private mutating func url() {
        let line = cursor.line
        cursor.skip(4)
        cursor.skip(while: \.isBlank)
        if cursor.byte == UInt8(ascii: "\"") || cursor.byte == UInt8(ascii: "'") {
            add(string(), line)
        } else {
            add(Self.unescaped(cursor.take { $0 != UInt8(ascii: ")") && !$0.isBlank }), line)
        }
        cursor.skip { $0 != UInt8(ascii: ")") }
        cursor.skip()
    }

    private mutating func string() -> String {
        let quote = cursor.byte
        cursor.skip()
        let start = cursor.position
        while let byte = cursor.byte, byte != quote, byte != UInt8(ascii: "\n") {
            cursor.skip(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        let text = cursor.bytes[start..<cursor.position]
        cursor.skip()
        return Self.unescaped(text)
    }

    private mutating func add(_ text: String, _ line: Int) {
        found.append(Reference(text, isImport ? .style : isFontFace ? .font : .image, line: line))
        isImport = false
    }

    /// Without backslashes; hexadecimal escapes, which URLs aren't written with, are left as they are.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
    }
}
