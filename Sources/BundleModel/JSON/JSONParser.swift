/// A strict JSON parser (RFC 8259) for text from outside: bounded depth, no duplicate keys (RFC 7493 §2.3), and errors
/// with their place. Foundation's decoders silently take the last of two equal keys and give no position.
struct JSONParser {
    /// The deepest nesting of lists and objects, which bounds the recursion.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// Parses one value, surrounded only by white space. A leading byte order mark is skipped, as RFC 8259 §8.1 allows:
    /// editors on Windows write one.
    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        guard String(validating: bytes, as: UTF8.self) != nil else { throw parser.error(.notUTF8) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        parser.skipWhiteSpace()
        let value = try parser.value()
        parser.skipWhiteSpace()
        guard parser.position == bytes.count else { throw parser.error(.trailingText) }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

// MARK: - Values

extension JSONParser {
    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        guard let next else { throw unexpected() }
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

    private mutating func descend() throws(JSONSyntaxError) {
        guard depth < JSONParser.maximumDepth else { throw error(.tooDeep) }
        depth += 1
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONObject {
        try descend()
        defer { depth -= 1 }
        try expect("{")
        var members: [JSONObject.Member] = []
        var keys: Set<String> = []
        skipWhiteSpace()
        if skip("}") { return JSONObject([]) }
        repeat {
            skipWhiteSpace()
            let start = position
            let key = try string()
            guard keys.insert(key).inserted else { throw error(.duplicateKey(key), at: start) }
            skipWhiteSpace()
            try expect(":")
            skipWhiteSpace()
            members.append(JSONObject.Member(key, try value()))
            skipWhiteSpace()
        } while skip(",")
        try expect("}")
        return JSONObject(members)
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
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            case ..<0x20: throw error(.controlCharacterInString)
            default:
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
