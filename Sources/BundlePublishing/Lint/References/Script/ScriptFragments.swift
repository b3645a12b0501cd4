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
