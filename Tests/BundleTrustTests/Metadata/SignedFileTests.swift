import BundleModel
import Crypto
import Testing

@testable import BundleTrust

struct SignedFileTests {
    private static let content = Array("hello\n".utf8)
    private static let sha256 = Hexadecimal.string(of: SHA256.hash(data: content))
    private static let sha512 = Hexadecimal.string(of: SHA512.hash(data: content))

    private func file(_ hashes: String, length: Int? = 6) throws -> SignedFile {
        let bytes = Array(#"{"hashes": \#(hashes)\#(length.map { ", \"length\": \($0)" } ?? "")}"#.utf8)
        let element = try JSONElement(parsing: bytes, named: "t", maximumByteCount: .max, refusedAs: .invalidFeed)
        return try SignedFile(byteCount: element.member("length"), hashes: element.member("hashes"))
    }

    @Test(
        "a file must have each hash that is known, and one at least",
        arguments: [
            (#"{"sha256": "\#(sha256)"}"#, nil), (#"{"sha512": "\#(sha512)"}"#, nil),
            (#"{"sha256": "\#(sha256)", "sha512": "\#(sha512)", "blake3": "00"}"#, nil),
            (#"{"sha256": "\#(sha256)", "sha512": "\#(sha256)"}"#, .contentMismatch),
            (#"{"sha256": "\#(sha512)"}"#, .contentMismatch), (#"{"sha256": ""}"#, .contentMismatch),
            (#"{"md5": "b1946ac92492d2347c6235b4d2611184"}"#, .unsupportedHash),
        ] as [(String, TrustError.Code?)]
    )
    func hashes(_ hashes: String, _ code: TrustError.Code?) throws {
        let file = try file(hashes)
        #expect(TrustFailure.code { try file.verify(Self.content, named: "a") } == code)
        let ofNothing = code == .unsupportedHash ? code : .contentMismatch
        #expect(TrustFailure.code { try file.verify([], named: "a") } == ofNothing)
    }

    @Test("endless data is refused at the first byte too many")
    func endless() throws {
        var check = try SignedFileCheck(of: file(#"{"sha256": "\#(Self.sha256)"}"#), named: "a")
        try check.update(Self.content)
        try check.finish()
        #expect(TrustFailure.code { try check.update([0] as [UInt8]) } == .tooLarge)
    }

    @Test("a file in pieces is the same as the whole, and a shorter one is refused")
    func pieces() throws {
        var check = try SignedFileCheck(of: file(#"{"sha512": "\#(Self.sha512)"}"#), named: "a")
        for byte in Self.content {
            #expect(TrustFailure.code { try check.finish() } == .contentMismatch)
            try check.update([byte])
        }
        try check.finish()
    }

    @Test("without a length any length is right, if the hash is")
    func unknownLength() throws {
        try file(#"{"sha256": "\#(Self.sha256)"}"#, length: nil).verify(Self.content, named: "a")
    }

    @Test("no hashes, hashes that aren't texts and negative lengths are invalid")
    func invalid() {
        #expect(throws: BundleError.self) { try file("{}") }
        #expect(throws: BundleError.self) { try file(#"{"sha256": 1}"#) }
        #expect(throws: BundleError.self) { try file(#"{"sha256": "00"}"#, length: -1) }
    }
}
