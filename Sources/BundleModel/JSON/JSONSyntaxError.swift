/// Text that isn't JSON, or is JSON that can only be a mistake.
struct JSONSyntaxError: Error, Equatable {
    /// The problem, as the rest of a sentence that begins with the place.
    enum Problem: Equatable {
        case notUTF8
        case unexpectedEnd
        case unexpectedCharacter
        case trailingText
        case tooDeep
        case tooLarge
        case badNumber
        case badEscape
        case controlCharacterInString
        case duplicateKey(String)
    }

    let problem: Problem
    /// The line, from 1.
    let line: Int
    /// The column in Unicode scalars, from 1.
    let column: Int

    init(_ problem: Problem, at offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.problem = problem
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        // UTF-8 continuation bytes (10xxxxxx) don't start a scalar.
        column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    var description: String { "line \(line), column \(column): \(explanation)" }

    private var explanation: String {
        switch problem {
        case .notUTF8: "the text is not UTF-8"
        case .unexpectedEnd: "the text ends in the middle of a value"
        case .unexpectedCharacter: "this character does not belong here in JSON"
        case .trailingText: "there is more text after the value"
        case .tooDeep: "lists and objects are nested deeper than \(JSONParser.maximumDepth) levels"
        case .tooLarge: "this is more than such a document has"
        case .badNumber: "this is not a JSON number"
        case .badEscape: "this is not a JSON escape sequence"
        case .controlCharacterInString: "a string has a control character, which must be escaped"
        case .duplicateKey(let key): "the key “\(Printable.text(key))” appears twice"
        }
    }
}
