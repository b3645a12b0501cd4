import BundleStore
import Foundation
import HTTPTypes
import Testing

@testable import BundleServing

@Suite("CodingPreferences (RFC 9842)")
struct CodingPreferencesTests {
    private static let digest = Digest(of: Array("old".utf8))
    private static let base64 = digest.withUnsafeBytes { Data($0).base64EncodedString() }

    @Test("Available-Dictionary is a SHA-256 as a byte sequence (§2.2, RFC 9651 §3.3.5)")
    func dictionary() {
        #expect(AvailableDictionary.digest(":\(Self.base64):") == Self.digest)
        #expect(AvailableDictionary.digest(" :\(Self.base64):\t") == Self.digest)
    }

    @Test(
        "anything else isn't a dictionary",
        arguments: [
            "", ":", "::", base64, ":\(base64)", "\(base64):", ":\(base64.dropLast(4)):", ":AAAA:",
            ":\(base64)\(base64):",
            ":\(base64.dropFirst())!:", ":\(base64):, :\(base64):", "\":\(base64):\"", ":\u{e9}:",
        ]
    )
    func garbage(_ fieldValue: String) {
        #expect(AvailableDictionary.digest(fieldValue) == nil)
    }

    @Test(
        "a dictionary counts only for a client that accepts deltas (§6.1)",
        arguments: [
            ("gzip, deflate, br, zstd, dcb, dcz", true), ("dcz", true), ("gzip, br, zstd", false), ("*", false),
            ("dcz;q=0, br", false), (nil, false),
        ] as [(String?, Bool)]
    )
    func acceptance(_ accepted: String?, _ counts: Bool) {
        var fields: HTTPFields = [.availableDictionary: ":\(Self.base64):"]
        fields[.acceptEncoding] = accepted
        #expect(CodingPreferences(fields).dictionary == (counts ? Self.digest : nil))
    }

    @Test("deltas come first among equals")
    func order() {
        let accepted = AcceptEncoding("gzip, deflate, br, zstd, dcb, dcz")
        #expect(accepted.map(\.token) == ["dcz", "br", "zstd", "gzip", "identity"])
    }
}
