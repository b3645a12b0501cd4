/// The tokens of a script (ECMA-262 §12). Whether a slash begins a regular expression is told by the tokens before
/// (``ScriptNesting``), which is right for nearly all scripts. After a wrong guess the reading isn't whole; then
/// ``ScriptFragments`` finds what it has lost. Its time grows with the length of the script alone, whatever is in it.
struct ScriptTokenizer: IteratorProtocol {
    private var cursor: ByteCursor
    private var nesting = ScriptNesting()
    /// Whether something had no end, so that it wasn't what it looked like.
    private var hasUnended = false
    /// How many bytes may still be read in vain, in search of a regular expression's end.
    private var spareByteCount: Int

    init(_ bytes: [UInt8]) {
        cursor = ByteCursor(bytes)
        spareByteCount = 4 * bytes.count
        // A hashbang comment.
        if cursor.hasPrefix("#!") { cursor.skip { $0 != UInt8(ascii: "\n") } }
    }

    /// Whether each bracket, string, comment and template so far has an end.
    var isWhole: Bool { !hasUnended && nesting.isWhole }

    /// Nil at the end.
    mutating func next() -> (token: ScriptToken, line: Int)? {
        while let byte = cursor.byte {
            let line = cursor.line
            if byte.isBlank || byte == 0x0B {
                cursor.skip()
            } else if byte == UInt8(ascii: "/"), let comment = comment() {
                if let map = SourceMapComment.url(comment) { return (.sourceMap(map), line) }
            } else {
                let token = token(byte)
                nesting.follow(token)
                return (token, line)
            }
        }
        return nil
    }

    /// Nil when there is none here.
    private mutating func comment() -> ArraySlice<UInt8>? {
        guard let comment = cursor.takeScriptComment() else { return nil }
        if !comment.isClosed { hasUnended = true }
        return comment.text
    }

    private mutating func token(_ byte: UInt8) -> ScriptToken {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let string = cursor.takeString()
            if !string.isClosed { hasUnended = true }
            return .string(string.text)
        case UInt8(ascii: "`"):
            cursor.skip()
            return template()
        case UInt8(ascii: "}"):
            cursor.skip()
            guard nesting.endSubstitution() else { return .mark(byte) }
            let token = template()
            return token == .templatePart ? token : .value
        case UInt8(ascii: "/") where nesting.mayBeginExpression && skipRegularExpression(): return .value
        case UInt8(ascii: "+") where cursor.peek(1) == byte, UInt8(ascii: "-") where cursor.peek(1) == byte:
            cursor.skip(2)
            return .value
        case 0x30...0x39:
            cursor.skip { $0.isIdentifierByte || $0 == UInt8(ascii: ".") }
            return .value
        case _ where byte.isIdentifierByte:
            return .name(String(decoding: cursor.take(while: \.isIdentifierByte), as: UTF8.self))
        default:
            cursor.skip()
            return .mark(byte)
        }
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
                return .templatePart
            }
            cursor.skip(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        hasUnended = true
        return .value
    }

    /// Skips nothing when the line has no end of one: then the slash divides.
    private mutating func skipRegularExpression() -> Bool {
        guard spareByteCount > 0 else { return false }
        let start = cursor
        cursor.skip()
        var isInClass = false
        while let byte = cursor.byte, byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "/"), !isInClass {
                cursor.skip()
                cursor.skip(while: \.isIdentifierByte)
                return true
            }
            if byte == UInt8(ascii: "[") { isInClass = true }
            if byte == UInt8(ascii: "]") { isInClass = false }
            cursor.skip(byte == UInt8(ascii: "\\") && cursor.peek(1) != UInt8(ascii: "\n") ? 2 : 1)
        }
        spareByteCount -= cursor.position - start.position
        cursor = start
        hasUnended = true
        return false
    }
}
