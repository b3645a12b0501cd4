import BundleModel
import Testing

@testable import BundleTrust

struct CanonicalJSONTests {
    private func canonical(_ text: String) throws -> String {
        String(decoding: try CanonicalJSON.bytes(of: TestRepository.json(text)), as: UTF8.self)
    }

    // Each was compared with `encode_canonical` of securesystemslib 1.4.0.
    @Test(
        "the canonical form is the one that securesystemslib writes",
        arguments: [
            ("null", "null"), (" [ true , false ] ", "[true,false]"), ("{}", "{}"), ("[]", "[]"), ("-0", "0"),
            ("-12", "-12"), ("123456789012345678901234567890", "123456789012345678901234567890"),
            (#"{"y": 2, "x": 3}"#, #"{"x":3,"y":2}"#), (#"{"a": 1, "B": 2, "": 3}"#, #"{"":3,"B":2,"a":1}"#),
            (#"{"aa": 1, "a": 2, "a\u0000": 3}"#, "{\"a\":2,\"a\u{0}\":3,\"aa\":1}"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\\"\\\\/\u{8}\u{C}\n\r\t\""), (#""\u0001\u007f""#, "\"\u{1}\u{7F}\""),
            (#""\u00e9é日\ud83d\ude00""#, "\"éé日😀\""),
            // By code point U+FFFF comes before U+1F600; by UTF-16 it comes after it.
            (#"{"😀": 1, "\uffff": 2}"#, "{\"\u{FFFF}\":2,\"😀\":1}"),
            (#"{"é": 1, "z": 2, "e": 3}"#, #"{"e":3,"z":2,"é":1}"#),
            (#"{"a": {"c": [1, {"e": 1, "d": 2}], "b": null}}"#, #"{"a":{"b":null,"c":[1,{"d":2,"e":1}]}}"#),
        ]
    )
    func form(_ text: String, _ expected: String) throws {
        #expect(ExactString(try canonical(text)) == ExactString(expected))
    }

    @Test("names that are equal for String alone are two members, each with its own bytes")
    func equivalentNames() throws {
        let text = try canonical(#"{"\u00e9": 1, "e\u0301": 2}"#)
        #expect(ExactString(text) == ExactString("{\"e\u{301}\":2,\"\u{E9}\":1}"))
    }

    @Test("a number that isn't an integer has no canonical form", arguments: ["1.0", "1e3", "-0.0", "1E-2", "0.5"])
    func fractions(_ number: String) throws {
        let value = try TestRepository.json(#"{"a": [\#(number)]}"#)
        #expect(throws: CanonicalJSON.NumberError(text: number)) { try CanonicalJSON.bytes(of: value) }
    }

    @Test(
        "a document that isn't strict JSON is refused",
        arguments: [
            #"{"a": 1, "a": 1}"#, #"{"a": 1, "\u0061": 1}"#, #""\ud800""#, #""\udc00\ud800""#, #""\x""#, "NaN", "[1,]",
            "01", "1.0", "\"\u{1}\"", "{} {}", "",
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        ]
    )
    func refusal(_ signed: String) {
        let bytes = TestRepository.document(signed, signatures: [])
        let error = #expect(throws: TrustError.self) { try TrustedState(anchor: bytes) }
        #expect(error?.code == .invalidMetadata)
    }

    @Test("bytes that aren't UTF-8 are refused", arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80]])
    func encoding(_ bytes: [UInt8]) {
        let document = Array(#"{"signatures": [], "signed": ""#.utf8) + bytes + Array("\"}".utf8)
        let error = #expect(throws: TrustError.self) { try TrustedState(anchor: document) }
        #expect(error?.code == .invalidMetadata)
    }
}
