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

/// A part of a script, as far as references need it. A value type.
enum ScriptToken: Equatable {
    /// A name or a keyword.
    case name(String)
    /// A string, or a template without substitutions.
    case string(String)
    /// Any other byte of the grammar.
    case mark(UInt8)
    /// A number, a regular expression, the end of a template with substitutions, `++` or `--`: after each a slash divides.
    case value
    /// A part of a template that a substitution follows.
    case templatePart
    /// The source map that a comment names.
    case sourceMap(String)
}

/// The tokens of a script that can't be read as a whole: only those strings are read that stand where a reference does, and
/// templates and regular expressions aren't, so that what is wrong in one place hides nothing in another. Comments that begin
/// their line have no tokens. Its time grows with the length of the script alone.
struct ScriptFragments: IteratorProtocol {
    private static let callees: [ScriptToken] = [.name("import"), .name("URL"), .name("resolve")]

    private var cursor: ByteCursor
    private var last: ScriptToken?
    private var secondLast: ScriptToken?
    private var lineOfLast = 0
    /// Whether a comment was found to have no end, as all that follow.
    private var hasUnendedComment = false

    init(_ bytes: [UInt8]) {
        cursor = ByteCursor(bytes)
    }

    /// Nil at the end.
    mutating func next() -> (token: ScriptToken, line: Int)? {
        while let byte = cursor.byte {
            let line = cursor.line
            if byte.isBlank || byte == 0x0B {
                cursor.skip()
            } else if byte == UInt8(ascii: "/"), line > lineOfLast, let comment = comment() {
                if let map = SourceMapComment.url(comment) { return (.sourceMap(map), line) }
            } else {
                let token = token(byte)
                (secondLast, last, lineOfLast) = (last, token, line)
                return (token, line)
            }
        }
        return nil
    }

    /// Nil when there is none here; one without an end is none.
    private mutating func comment() -> ArraySlice<UInt8>? {
        guard !hasUnendedComment else { return nil }
        let start = cursor
        guard let comment = cursor.takeScriptComment() else { return nil }
        guard comment.isClosed else {
            cursor = start
            hasUnendedComment = true
            return nil
        }
        return comment.text
    }

    private mutating func token(_ byte: UInt8) -> ScriptToken {
        if byte.isIdentifierByte {
            return .name(String(decoding: cursor.take(while: \.isIdentifierByte), as: UTF8.self))
        }
        if "\"'`".utf8.contains(byte), isBeforeReference {
            let start = cursor
            let string = cursor.takeString()
            if string.isClosed, byte != UInt8(ascii: "`") || !string.text.contains("${") { return .string(string.text) }
            cursor = start
        }
        cursor.skip()
        return .mark(byte)
    }

    private var isBeforeReference: Bool {
        switch last {
        case .name("import"), .name("from"): true
        case .mark(UInt8(ascii: "(")): secondLast.map(Self.callees.contains) ?? false
        default: false
        }
    }
}
