/// The tokens of a script (ECMA-262 §12). Whether a slash begins a regular expression is told by the token before, which is
/// right for nearly all scripts; after a wrong guess it finds its way back on the next line.
struct ScriptTokenizer {
    private static let namesBeforeExpressions: Set<String> = [
        "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof", "await",
        "yield",
    ]

    private var cursor: ByteCursor
    private var last: ScriptToken?
    /// For each template whose substitution the cursor is in, how many braces are open there.
    private var braces: [Int] = []

    init(_ bytes: [UInt8]) {
        cursor = ByteCursor(bytes)
        // A hashbang comment.
        if cursor.hasPrefix("#!") { cursor.skip { $0 != UInt8(ascii: "\n") } }
    }

    /// Nil at the end.
    mutating func next() -> (token: ScriptToken, line: Int)? {
        while let byte = cursor.byte {
            if byte.isBlank || byte == 0x0B {
                cursor.skip()
            } else if byte == UInt8(ascii: "/"), let comment = comment() {
                if let map = SourceMapComment.url(comment.text) { return (.sourceMap(map), comment.line) }
            } else {
                let line = cursor.line
                let token = token(byte)
                last = token
                return (token, line)
            }
        }
        return nil
    }

    /// Nil when there is none here.
    private mutating func comment() -> (text: ArraySlice<UInt8>, line: Int)? {
        let line = cursor.line
        switch cursor.peek(1) {
        case UInt8(ascii: "/"):
            cursor.skip(2)
            return (cursor.take { $0 != UInt8(ascii: "\n") }, line)
        case UInt8(ascii: "*"):
            cursor.skip(2)
            let start = cursor.position
            while !cursor.isAtEnd, !cursor.hasPrefix("*/") { cursor.skip() }
            let text = cursor.bytes[start..<cursor.position]
            cursor.skip(2)
            return (text, line)
        default: return nil
        }
    }

    private mutating func token(_ byte: UInt8) -> ScriptToken {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(string(byte))
        case UInt8(ascii: "`"):
            cursor.skip()
            return template()
        case UInt8(ascii: "}") where braces.last == 0:
            braces.removeLast()
            cursor.skip()
            _ = template()
            return .value
        case UInt8(ascii: "{"), UInt8(ascii: "}"):
            if let count = braces.popLast() { braces.append(count + (byte == UInt8(ascii: "{") ? 1 : -1)) }
        case UInt8(ascii: "/") where mayBeginExpression:
            skipRegularExpression()
            return .value
        case UInt8(ascii: "-"): break
        case 0x30...0x39:
            cursor.skip { $0.isNameByte && $0 != UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
            return .value
        default:
            if byte.isNameByte {
                let name = cursor.take { $0.isNameByte && $0 != UInt8(ascii: "-") }
                return .name(String(decoding: name, as: UTF8.self))
            }
        }
        cursor.skip()
        return .mark(byte)
    }

    private mutating func string(_ quote: UInt8) -> String {
        cursor.skip()
        let start = cursor.position
        while let byte = cursor.byte, byte != quote, byte != UInt8(ascii: "\n") {
            cursor.skip(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        let text = cursor.bytes[start..<cursor.position]
        cursor.skip()
        return String(decoding: text.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
    }

    /// From behind the backquote, or behind a substitution, to the end, or into the next substitution.
    private mutating func template() -> ScriptToken {
        let start = cursor.position
        while let byte = cursor.byte {
            if byte == UInt8(ascii: "`") {
                let text = cursor.bytes[start..<cursor.position]
                cursor.skip()
                return .string(String(decoding: text, as: UTF8.self))
            }
            if byte == UInt8(ascii: "$"), cursor.peek(1) == UInt8(ascii: "{") {
                cursor.skip(2)
                braces.append(0)
                return .value
            }
            cursor.skip(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        return .value
    }

    private var mayBeginExpression: Bool {
        switch last {
        case nil: true
        case .name(let name): Self.namesBeforeExpressions.contains(name)
        case .mark(let byte): !")]}".utf8.contains(byte)
        case .string, .value, .sourceMap: false
        }
    }

    private mutating func skipRegularExpression() {
        cursor.skip()
        var isInClass = false
        while let byte = cursor.byte, byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "/"), !isInClass { break }
            if byte == UInt8(ascii: "[") { isInClass = true }
            if byte == UInt8(ascii: "]") { isInClass = false }
            cursor.skip(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        cursor.skip()
        cursor.skip(while: \.isNameByte)
    }
}
