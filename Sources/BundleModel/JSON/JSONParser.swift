/// A strict JSON parser (RFC 8259) for text from outside: bounded depth, no duplicate keys (RFC 7493 §2.3), compared code point by
/// code point (RFC 8259 §8.3), and errors with their place. Foundation's decoders silently take the last of two equal keys and give no position.
struct JSONParser {
    /// The deepest nesting of lists and objects, which bounds the recursion.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// How many bytes values may still take.
    private var room: Int
    /// What a whole document may take in memory in bytes: values are many times as large as their text, `0,` 32 times.
    private static let documentByteCount = 32 << 20
    /// What a value, and a name, takes in memory besides its text, in bytes.
    private static let valueByteCount = 64

    /// Parses one value, surrounded only by white space. It may take 32 MiB of memory. A leading byte order mark is skipped,
    /// as RFC 8259 §8.1 allows: editors on Windows write one.
    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes: bytes, within: documentByteCount)
        try parser.begin()
        let value = try parser.value()
        try parser.end()
        return value
    }

    /// The same for an object that has one long list, whose elements aren't kept: the list in the result is empty.
    ///
    /// - Parameters:
    ///   - key: The list's name.
    ///   - byteCount: How many bytes the rest of the object may take in memory, and with it each element.
    ///   - take: Gets each element with its number, from 0, before what follows it was parsed.
    /// - Throws: `JSONSyntaxError`, and what `take` throws.
    static func parse(
        _ bytes: [UInt8],
        within byteCount: Int,
        passing key: String,
        _ take: (Int, JSONValue) throws -> Void
    ) throws -> JSONValue {
        var parser = JSONParser(bytes: bytes, within: byteCount)
        try parser.begin()
        let value = try parser.object(passing: key, take)
        try parser.end()
        return value
    }

    private init(bytes: [UInt8], within room: Int) {
        self.bytes = bytes
        self.room = room
    }

    private mutating func begin() throws(JSONSyntaxError) {
        guard Self.isUTF8(bytes) else { throw error(.notUTF8) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipWhiteSpace()
    }

    private mutating func end() throws(JSONSyntaxError) {
        skipWhiteSpace()
        guard position == bytes.count else { throw error(.trailingText) }
    }

    /// Looks at pieces, so that no copy of the whole is made.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            var end = min(start + 1 << 16, bytes.count)
            // Not within a character, which has up to three continuation bytes (10xxxxxx).
            for _ in 0..<3 where end < bytes.count && bytes[end] & 0xC0 == 0x80 { end -= 1 }
            guard String(validating: bytes[start..<end], as: UTF8.self) != nil else { return false }
            start = end
        }
        return true
    }
}

// MARK: - Values

extension JSONParser {
    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        guard let next else { throw unexpected() }
        try use(Self.valueByteCount)
        switch next {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: throw unexpected()
        }
    }

    private mutating func use(_ byteCount: Int) throws(JSONSyntaxError) {
        guard byteCount <= room else { throw error(.tooLarge) }
        room -= byteCount
    }

    private mutating func descend() throws(JSONSyntaxError) {
        guard depth < JSONParser.maximumDepth else { throw error(.tooDeep) }
        depth += 1
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONObject {
        try descend()
        defer { depth -= 1 }
        try expect("{")
        var members: [JSONObject.Member] = []
        var keys: Set<ExactString> = []
        skipWhiteSpace()
        if skip("}") { return JSONObject([]) }
        repeat {
            members.append(JSONObject.Member(try key(unlike: &keys), try value()))
            skipWhiteSpace()
        } while skip(",")
        try expect("}")
        return JSONObject(members)
    }

    /// Reads a name, up to its value.
    private mutating func key(unlike keys: inout Set<ExactString>) throws(JSONSyntaxError) -> String {
        skipWhiteSpace()
        let start = position
        try use(Self.valueByteCount)
        let key = try string()
        guard keys.insert(ExactString(key)).inserted else { throw error(.duplicateKey(key), at: start) }
        skipWhiteSpace()
        try expect(":")
        skipWhiteSpace()
        return key
    }

    private mutating func object(passing list: String, _ take: (Int, JSONValue) throws -> Void) throws -> JSONValue {
        guard next == UInt8(ascii: "{") else { return try value() }
        try descend()
        defer { depth -= 1 }
        try expect("{")
        var members: [JSONObject.Member] = []
        var keys: Set<ExactString> = []
        skipWhiteSpace()
        if skip("}") { return .object(JSONObject([])) }
        repeat {
            let key = try key(unlike: &keys)
            members.append(JSONObject.Member(key, key == list ? try elements(take) : try value()))
            skipWhiteSpace()
        } while skip(",")
        try expect("}")
        return .object(JSONObject(members))
    }

    private mutating func elements(_ take: (Int, JSONValue) throws -> Void) throws -> JSONValue {
        guard next == UInt8(ascii: "[") else { return try value() }
        try descend()
        defer { depth -= 1 }
        try expect("[")
        skipWhiteSpace()
        if skip("]") { return .array([]) }
        var count = 0
        repeat {
            skipWhiteSpace()
            let room = room
            try take(count, try value())
            self.room = room
            count += 1
            skipWhiteSpace()
        } while skip(",")
        try expect("]")
        return .array([])
    }

    private mutating func array() throws(JSONSyntaxError) -> [JSONValue] {
        try descend()
        defer { depth -= 1 }
        try expect("[")
        var elements: [JSONValue] = []
        skipWhiteSpace()
        if skip("]") { return [] }
        repeat {
            skipWhiteSpace()
            elements.append(try value())
            skipWhiteSpace()
        } while skip(",")
        try expect("]")
        return elements
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[index] else { throw unexpected() }
            position += 1
        }
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        let start = position
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try digits()
        }
        // “01” and “1x” would otherwise be reported as a missing comma.
        if let next, HTTPSyntax.isTokenByte(next) { throw error(.badNumber) }
        return JSONNumber(wellFormed: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONSyntaxError) {
        guard let next, ASCII.isDigit(next) else { throw error(.badNumber) }
        while let next = self.next, ASCII.isDigit(next) { position += 1 }
    }
}

// MARK: - Strings

extension JSONParser {
    private mutating func string() throws(JSONSyntaxError) -> String {
        try expect("\"")
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                try use(text.count)
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            case ..<0x20: throw error(.controlCharacterInString)
            default:
                guard text.count < room else { throw error(.tooLarge) }
                text.append(byte)
                position += 1
            }
        }
        throw error(.unexpectedEnd)
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        position += 1
        guard let byte = next else { throw error(.unexpectedEnd) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        default: throw error(.badEscape, at: position - 2)
        }
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair. A lone half isn't a character and is
    /// refused (RFC 7493 §2.1).
    private mutating func escapedScalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = position - 2
        let high = try fourHexDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, skip("\\"), skip("u") else { throw error(.badEscape, at: start) }
        let low = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw error(.badEscape, at: start) }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let next, let digit = Hexadecimal.value(of: next) else { throw error(.badEscape) }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

// MARK: - Characters

extension JSONParser {
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipWhiteSpace() {
        while let next, next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONSyntaxError) {
        guard skip(character) else { throw unexpected() }
    }

    private func unexpected() -> JSONSyntaxError {
        error(next == nil ? .unexpectedEnd : .unexpectedCharacter)
    }

    private func error(_ problem: JSONSyntaxError.Problem, at offset: Int? = nil) -> JSONSyntaxError {
        JSONSyntaxError(problem, at: offset ?? position, in: bytes)
    }
}

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
