import Testing

@testable import BundleTrust

/// What is wrong with a root is found by the same code in the other documents.
struct MetadataFormatTests {
    private static let repository = TestRepository()

    private func code(replacing text: String, with other: String) throws -> TrustError.Code? {
        let signed = Self.repository.signedRoot
        try #require(signed.contains(text))
        let bytes = try TestRepository.document(signed.replacing(text, with: other), by: Self.repository.root.keys)
        return TrustFailure.code { _ = try TrustedState(anchor: bytes) }
    }

    @Test(
        "a member that is missing or invalid is refused",
        arguments: [
            (#""version": 1"#, #""version": 0"#), (#""version": 1"#, #""version": -1"#),
            (#""version": 1"#, #""version": "1""#), (#""version": 1"#, #""version": 9223372036854775808"#),
            (#""version": 1"#, #""versio": 1"#),
            (#""threshold": 1"#, #""threshold": 0"#), (#""threshold": 1"#, #""threshold": true"#),
            (#""timestamp":"#, #""timestamps":"#), (#""keys":"#, #""key":"#), (#""_type":"#, #""type":"#),
            (#""consistent_snapshot": true"#, #""consistent_snapshot": 1"#),
            ("2030-01-01T00:00:00Z", "2030-02-30T00:00:00Z"), ("2030-01-01T00:00:00Z", "2030-01-01T00:00:00"),
            ("2030-01-01T00:00:00Z", "2030-01-01T00:00:00+00:00"), ("2030-01-01T00:00:00Z", "2030-01-01 00:00:00Z"),
            ("2030-01-01T00:00:00Z", "2030-01-01T24:00:00Z"), ("2030-01-01T00:00:00Z", ""),
        ]
    )
    func invalid(_ text: String, _ other: String) throws {
        #expect(try code(replacing: text, with: other) == .invalidMetadata)
    }

    @Test("members that nobody knows are a part of what is signed, and change nothing")
    func unknownMembers() throws {
        #expect(try code(replacing: #""unknown":"#, with: #""another":"#) == nil)
        let document = String(decoding: try Self.repository.rootDocument(), as: UTF8.self)
        let changed = document.replacing(#""unknown":"#, with: #""another":"#)
        #expect(TrustFailure.code { _ = try TrustedState(anchor: Array(changed.utf8)) } == .tooFewSignatures)
    }

    @Test(
        "a later minor version is read, and another major version isn't",
        arguments: [
            ("1.0.34", nil), ("1.9", nil), ("2.0.0", .unsupportedSpecification), ("10.0", .unsupportedSpecification),
        ] as [(String, TrustError.Code?)]
    )
    func specification(_ version: String, _ expected: TrustError.Code?) throws {
        #expect(try code(replacing: "1.0.34", with: version) == expected)
    }

    @Test("white space and the order of members aren't signed")
    func layout() throws {
        let document = String(decoding: try Self.repository.rootDocument(), as: UTF8.self) + " \n"
        #expect(TrustFailure.code { _ = try TrustedState(anchor: Array(document.utf8)) } == nil)
    }

    @Test("oversized documents, and more keys and signatures than the limits permit, are refused")
    func limits() throws {
        let root = try Self.repository.rootDocument()
        let long = root + [UInt8](repeating: 0x20, count: TrustLimits.rootByteCount)
        #expect(TrustFailure.code { _ = try TrustedState(anchor: long) } == .tooLarge)
        let signatures = (0...TrustLimits.signatureCount).map { #"{"keyid": "\#($0)", "sig": ""}"# }
        let many = TestRepository.document(Self.repository.signedRoot, signatures: signatures)
        #expect(TrustFailure.code { _ = try TrustedState(anchor: many) } == .invalidMetadata)
        var repository = TestRepository()
        repository.otherKeys = (0...TrustLimits.keyCount).map { #""\#($0)": \#(TestKey.json("a", "b", "c"))"# }
        #expect(TrustFailure.code { _ = try repository.anchored() } == .invalidMetadata)
        repository.otherKeys = [#""\#(String(repeating: "a", count: 257))": \#(TestKey.json("a", "b", "c"))"#]
        #expect(TrustFailure.code { _ = try repository.anchored() } == .invalidMetadata)
    }

    @Test("messages name the document, the place and what to do, and have no control characters")
    func messages() throws {
        let bytes = Array("{\"signatures\": [], \"signed\": {\"_type\": \"\\u001b[2J\"}}".utf8)
        let error = #expect(throws: TrustError.self) { try TrustedState(anchor: bytes) }
        let problem = "root.json: is of the role “\\u{1b}[2J” and not “root”; "
        #expect(error?.description.hasPrefix(problem) == true)
        let unsigned = TestRepository.document(Self.repository.signedRoot, signatures: [])
        #expect(throws: TrustError.self) { try TrustedState(anchor: unsigned) }
        let description = #expect(throws: TrustError.self) { try TrustedState(anchor: unsigned) }?.description
        let expected = "root.json: is signed by 0 of the 1 keys that may sign it; 1 must; "
        #expect(description?.hasPrefix(expected) == true && description?.contains("have the publisher") == true)
    }
}
