import Testing

@testable import BundleModel

@Suite("JSONParser")
struct JSONParserTests {
    @Test(
        "every kind of value is read and written back",
        arguments: [
            "null", "true", "false", "0", "-0", "12", "-1.5", "1e3", "1E-3", "1.0e+10",
            "123456789012345678901234567890", "\"\"",
            "\"é日😀\"", "[]", "[1,[2,[]],{}]", "{}", #"{"b":1,"a":{"c":[null]}}"#, #""\"\\\n\t\u0001""#,
        ]
    )
    func roundTrip(_ text: String) throws {
        let value = try JSONParser.parse(Array(text.utf8))
        #expect(String(decoding: JSONWriter.bytes(of: value, .compact), as: UTF8.self) == text)
        #expect(try JSONParser.parse(JSONWriter.bytes(of: value, .lines)) == value)
    }

    @Test(
        "escapes stand for their characters",
        arguments: [
            (#""\/\b\f\n\r\t""#, "/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9""#, "Aé"), (#""\ud83d\uDE00""#, "😀"),
            (#""\u0000""#, "\0"),
        ]
    )
    func escapes(_ text: String, _ expected: String) throws {
        #expect(try JSONParser.parse(Array(text.utf8)) == .string(expected))
    }

    @Test(
        "invalid JSON is refused with its place",
        arguments: [
            ("", .unexpectedEnd, 1, 1), ("  ", .unexpectedEnd, 1, 3), ("{", .unexpectedEnd, 1, 2),
            ("{\n  \"é\" 1}", .unexpectedCharacter, 2, 7), ("[1,]", .unexpectedCharacter, 1, 4),
            ("{\"a\":1,}", .unexpectedCharacter, 1, 8), ("[1 2]", .unexpectedCharacter, 1, 4),
            ("tru", .unexpectedEnd, 1, 4), ("trux", .unexpectedCharacter, 1, 4), ("'a'", .unexpectedCharacter, 1, 1),
            ("// c\n1", .unexpectedCharacter, 1, 1), ("1 1", .trailingText, 1, 3), ("01", .badNumber, 1, 2),
            ("1.", .badNumber, 1, 3), ("-", .badNumber, 1, 2), ("1e", .badNumber, 1, 3), ("1.2.3", .badNumber, 1, 4),
            ("NaN", .unexpectedCharacter, 1, 1), ("+1", .unexpectedCharacter, 1, 1), ("\"a", .unexpectedEnd, 1, 3),
            ("\"a\\", .unexpectedEnd, 1, 4), ("\"\\x\"", .badEscape, 1, 2), ("\"\\u12g4\"", .badEscape, 1, 6),
            ("\"\\ud800\"", .badEscape, 1, 2), ("\"\\udc00\"", .badEscape, 1, 2),
            ("\"\\ud800\\u0041\"", .badEscape, 1, 2),
            ("\"a\nb\"", .controlCharacterInString, 1, 3), ("{\"a\":1,\n\"a\":2}", .duplicateKey("a"), 2, 1),
            ("{1:2}", .unexpectedCharacter, 1, 2),
        ] as [(String, JSONSyntaxError.Problem, Int, Int)]
    )
    func refusal(_ text: String, _ problem: JSONSyntaxError.Problem, _ line: Int, _ column: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(Array(text.utf8)) }
        #expect(error?.problem == problem)
        #expect(error.map { [$0.line, $0.column] } == [line, column])
        #expect(error?.description.hasPrefix("line \(line), column \(column): ") == true)
    }

    @Test(
        "bytes that aren't UTF-8 are refused",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC3], [0xFE, 0xFF, 0x00, 0x31]]
    )
    func encoding(_ bytes: [UInt8]) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(bytes) }
        #expect(error?.problem == .notUTF8)
    }

    @Test("a character on the border of the pieces that are looked at is one", arguments: 0..<4)
    func encodingPieces(_ shift: Int) throws {
        let text = String(repeating: "a", count: 65_533 + shift) + "😀"
        #expect(try JSONParser.parse(Array("\"\(text)\"".utf8)) == .string(text))
        let cut = Array("\"\(text)".utf8.dropLast()) + [0x22]
        let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(cut) }
        #expect(error?.problem == .notUTF8)
    }

    @Test("the elements of a long list are passed on one by one, and the rest is as without")
    func passing() throws {
        let bytes = Array(#"{"a": 1, "list": [1, "x", {"list": [2]}, []], "b": {"list": [3]}}"#.utf8)
        var taken: [JSONValue] = []
        let rest = try JSONParser.parse(bytes, within: 1_000, passing: "list") { number, value in
            #expect(number == taken.count)
            taken.append(value)
        }
        #expect(taken == [.number(JSONNumber(1 as Int64)), .string("x")] + (try values(#"[{"list": [2]}, []]"#)))
        #expect(rest == (try JSONParser.parse(Array(#"{"a": 1, "list": [], "b": {"list": [3]}}"#.utf8))))
    }

    private func values(_ text: String) throws -> [JSONValue] {
        guard case .array(let values) = try JSONParser.parse(Array(text.utf8)) else { return [] }
        return values
    }

    @Test(
        "no more is held than is allowed, however long the list is",
        arguments: [
            (#"{"list": [1,1,1,1,1,1,1,1]}"#, true), (#"{"other": [1,1,1,1,1,1,1,1]}"#, false),
            (#"{"list": [[1,1,1,1,1,1,1,1]]}"#, false),
            (#"{"other": "\#(String(repeating: "x", count: 300))"}"#, false),
            (#"{"list": ["\#(String(repeating: "x", count: 300))"]}"#, false), ("[1,1,1,1,1,1,1,1]", false),
            (#"{"\#(String(repeating: "x", count: 300))": 1}"#, false), (#"{"list": ["x", "y", "z", "x", "y"]}"#, true),
        ] as [(String, Bool)]
    )
    func held(_ text: String, _ isAllowed: Bool) {
        let result = Result { try JSONParser.parse(Array(text.utf8), within: 300, passing: "list") { _, _ in } }
        #expect(((try? result.get()) != nil) == isAllowed)
        if case .failure(let error) = result { #expect((error as? JSONSyntaxError)?.problem == .tooLarge) }
    }

    @Test(
        "a whole document of many small values is refused: they take many times its length",
        arguments: ["0", "\"\"", "null", "[]", "[0]", "{}"]
    )
    func smallValues(_ value: String) throws {
        func list(_ count: Int) -> [UInt8] { Array("[\(String(repeating: "\(value),", count: count))0]".utf8) }
        let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(list(600_000)) }
        #expect(error?.problem == .tooLarge)
        #expect(throws: Never.self) { try JSONParser.parse(list(100_000)) }
    }

    @Test("a whole document of many names is refused, and one of long texts isn't")
    func names() throws {
        let names = (0..<300_000).map { "\"\(String($0, radix: 36))\":0" }.joined(separator: ",")
        let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(Array("{\(names)}".utf8)) }
        #expect(error?.problem == .tooLarge)
        let text = String(repeating: "x", count: 4 << 20)
        #expect(try JSONParser.parse(Array("\"\(text)\"".utf8)) == .string(text))
    }

    @Test("whatever is wrong with the list or what follows it, and what the receiver refuses, is an error")
    func passingErrors() {
        struct Refusal: Error {}
        for text in [#"{"list": [1,]}"#, #"{"list": [1"#, #"{"list": [1], "list": []}"#, #"{"list": [1]} x"#] {
            #expect(throws: JSONSyntaxError.self) {
                try JSONParser.parse(Array(text.utf8), within: 1_000, passing: "list") { _, _ in }
            }
        }
        #expect(throws: Refusal.self) {
            try JSONParser.parse(Array(#"{"list": [1]}"#.utf8), within: 1_000, passing: "list") { _, _ in
                throw Refusal()
            }
        }
    }

    @Test("names are compared code point by code point")
    func canonicallyEquivalentNames() throws {
        let text = #"{"\u00e9":1,"e\u0301":2}"#
        guard case .object(let object) = try JSONParser.parse(Array(text.utf8)) else {
            Issue.record("an object is expected")
            return
        }
        #expect(object.members.map { Array($0.key.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test("a leading byte order mark is skipped")
    func byteOrderMark() throws {
        #expect(try JSONParser.parse([0xEF, 0xBB, 0xBF] + Array(" 1".utf8)) == .number(JSONNumber(1 as Int64)))
    }

    @Test("nesting is read up to 64 levels and refused beyond, at any depth", arguments: ["[", "{\"a\":"])
    func depth(_ opening: String) throws {
        func nested(_ levels: Int) -> [UInt8] {
            let closing = opening == "[" ? "]" : "}"
            let inner = opening == "[" ? "" : "0"
            let text = String(repeating: opening, count: levels) + inner + String(repeating: closing, count: levels)
            return Array(text.utf8)
        }
        #expect(throws: Never.self) { try JSONParser.parse(nested(64)) }
        for levels in [65, 100_000] {
            let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(nested(levels)) }
            #expect(error?.problem == .tooDeep)
        }
    }

    @Test("a whole number that fits 64 bits has a value, any other has only its digits")
    func numbers() throws {
        func number(_ text: String) throws -> Int64? {
            guard case .number(let number) = try JSONParser.parse(Array(text.utf8)) else { return nil }
            return number.int64
        }
        #expect(try number("9223372036854775807") == .max)
        #expect(try number("-9223372036854775808") == .min)
        #expect(try number("9223372036854775808") == nil)
        #expect(try number("1e400") == nil)
        #expect(try number("1.0") == nil)
    }

    @Test("every truncated text is refused or read, and never ends the process")
    func truncation() throws {
        let text = Array(#"{"a":[1.5e3,"\u00e9\ud83d\ude00é",true,null],"b":{"c":-0}}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(Array(text.prefix(count))) }
        }
        for index in text.indices {
            for byte: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x5D, 0x80, 0xFF] {
                var changed = text
                changed[index] = byte
                _ = try? JSONParser.parse(changed)
            }
        }
    }

    @Test("lines are indented by two spaces, and empty lists and objects stay short")
    func layout() throws {
        let value = try JSONParser.parse(Array(#"{"a":[1,{}],"b":[]}"#.utf8))
        let expected = "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n"
        #expect(String(decoding: JSONWriter.bytes(of: value, .lines), as: UTF8.self) == expected)
    }
}
