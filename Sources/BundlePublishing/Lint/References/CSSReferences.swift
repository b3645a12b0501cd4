/// What a style sheet refers to: `url()`, `image-set()`, `@import` and its source map (CSS Syntax §4). Pure.
package enum CSSReferences {
    package static func find(in bytes: [UInt8]) -> [Reference] {
        var scanner = CSSScanner(bytes)
        return scanner.references()
    }
}

/// Not a tokenizer of all of CSS: strings, comments and URLs are told from the rest.
private struct CSSScanner {
    /// The part of an at-rule before its block or its end.
    private enum Prelude {
        /// That of `@import`, in front of its URL.
        case `import`
        /// Any other: what is in it, such as the name of a namespace, isn't fetched.
        case other
    }

    private static let imageSets: Set<String> = ["image-set", "-webkit-image-set"]

    private var cursor: ByteCursor
    private var found: [Reference] = []
    private var prelude: Prelude?
    private var isFontFace = false
    /// For each open parenthesis, whether strings in it are URLs (CSS Images §2.4 “image-set()”).
    private var parentheses: [Bool] = []

    init(_ bytes: [UInt8]) {
        cursor = ByteCursor(bytes)
    }

    mutating func references() -> [Reference] {
        while let byte = cursor.byte {
            switch byte {
            case UInt8(ascii: "/") where cursor.peek(1) == UInt8(ascii: "*"): comment()
            case UInt8(ascii: "\""), UInt8(ascii: "'"): string()
            case UInt8(ascii: "@"): rule()
            case UInt8(ascii: ";"), UInt8(ascii: "{"), UInt8(ascii: "}"): end(byte)
            case UInt8(ascii: "("): begin(isImageSet: false)
            case UInt8(ascii: ")"):
                _ = parentheses.popLast()
                cursor.skip()
            case UInt8(ascii: "\\"): cursor.skip(2)
            default:
                if cursor.hasPrefix("url(") { url() } else if byte.isNameByte { name() } else { cursor.skip() }
            }
        }
        return found
    }

    /// A name that isn't “url(”, so that “curl(” isn't taken for it.
    private mutating func name() {
        let name = cursor.take(while: \.isNameByte)
        guard cursor.byte == UInt8(ascii: "(") else { return }
        begin(isImageSet: Self.imageSets.contains(String(decoding: name, as: UTF8.self).lowercased()))
    }

    private mutating func begin(isImageSet: Bool) {
        parentheses.append(isImageSet)
        cursor.skip()
    }

    private mutating func rule() {
        cursor.skip()
        let name = String(decoding: cursor.take(while: \.isNameByte), as: UTF8.self).lowercased()
        prelude = name == "import" ? .import : .other
        isFontFace = name == "font-face"
    }

    private mutating func end(_ byte: UInt8) {
        prelude = nil
        parentheses.removeAll(keepingCapacity: true)
        if byte == UInt8(ascii: "}") { isFontFace = false }
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
            add(cursor.takeString().text, line)
        } else {
            let text = cursor.take { $0 != UInt8(ascii: ")") && !$0.isBlank }
            add(String(decoding: text.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self), line)
        }
        cursor.skip { $0 != UInt8(ascii: ")") }
        cursor.skip()
    }

    /// A string alone is a URL in `@import` and `image-set()` only.
    private mutating func string() {
        let line = cursor.line
        let text = cursor.takeString().text
        if prelude == .import || parentheses.last == true { add(text, line) }
    }

    private mutating func add(_ text: String, _ line: Int) {
        switch prelude {
        case .import:
            found.append(Reference(text, .style, line: line))
            prelude = .other
        case .other: break
        case nil: found.append(Reference(text, isFontFace ? .font : .image, line: line))
        }
    }
}
