import BundleModel
import Crypto
import Foundation
import Testing

@testable import BundleTrust

struct PublicKeyTests {
    private let payload = Array("payload".utf8)

    private func key(_ json: String) throws -> PublicKey? {
        let bytes = Array(json.utf8)
        return try PublicKey.read(
            JSONElement(parsing: bytes, named: "key", maximumByteCount: .max, refusedAs: .invalidFeed)
        )
    }

    @Test("a signature counts for its key and its payload alone", arguments: [TestKey.ed25519(1), .p256(1)])
    func signature(_ own: TestKey) throws {
        let key = try #require(try key(own.json))
        let signature = try #require(Hexadecimal.bytes(of: try own.sign(payload)))
        #expect(key.isValid(signature, of: payload))
        #expect(!key.isValid(signature, of: payload + [0]))
        for other in [TestKey.ed25519(2), .p256(2)] {
            #expect(try self.key(other.json)?.isValid(signature, of: payload) == false)
        }
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.isValid(changed, of: payload))
        }
        for count in 0..<signature.count { #expect(!key.isValid(Array(signature.prefix(count)), of: payload)) }
        #expect(!key.isValid(signature + [0], of: payload))
    }

    @Test(
        "a key of an unknown type, scheme or value is skipped",
        arguments: [
            TestKey.json("ed448", "ed448", "00"),
            TestKey.json("ed25519", "ed25519ph", String(repeating: "0", count: 64)),
            TestKey.json("ed25519", "ed25519", "00"), TestKey.json("ed25519", "ed25519", "é"),
            TestKey.json("ecdsa", "ecdsa-sha2-nistp384", "PEM"), TestKey.json("ecdsa", "ecdsa-sha2-nistp256", "PEM"),
            TestKey.json("rsa", "rsassa-pss-sha256", "PEM"), TestKey.json("rsa", "rsa-pkcs1v15-sha256", "PEM"),
            #"{"keytype": "sigstore-oidc", "scheme": "Fulcio", "keyval": {"identity": "a", "issuer": "b"}}"#,
        ]
    )
    func unknown(_ json: String) throws {
        #expect(try key(json) == nil)
    }

    @Test(
        "a key whose members are missing, no texts or too long is an error",
        arguments: [
            "1", "{}", #"{"keytype": "ed25519", "scheme": "ed25519"}"#,
            #"{"keytype": 1, "scheme": "ed25519", "keyval": {}}"#,
            #"{"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": 1}}"#,
            TestKey.json("rsa", "rsassa-pss-sha256", String(repeating: "a", count: TrustLimits.keyByteCount + 1)),
        ]
    )
    func malformed(_ json: String) {
        #expect(throws: BundleError.self) { try key(json) }
    }

    /// RSA with 2,040 bits.
    private static let shortRSA = """
        -----BEGIN PUBLIC KEY-----
        MIIBITANBgkqhkiG9w0BAQEFAAOCAQ4AMIIBCQKCAQAA2LQ05S2n9L+6R85IxvOC
        Zg8tceGoPraP8L9XyK54jJEMlYyLO/1swsraHyOfiZMtW9gq1JCwK8JbyWMkkuHQ
        bieZqriBgFkJSjmPF2pQMB+8kb01HyfkkTAiiOq8VBOmdz3XN3fx5lL5xLxc0vis
        xSt11xkxFV9Ym0RMot1dZHTWK0N+fh0NlhPRzlJPsmKi5hMTVrhg4EqtgbWj99y4
        9xEDiQ0dKd/XlxVAuTi1fHbc0w6vlDKiksvOaiK0R5kcX0c/pu/aWAcB3TUlnWAH
        REq1Yw1FHf4ekiDE2LN8NfrPIBw1WpTcSblN7dgnE6tH3+8BpNVHHwfl371UvZnh
        AgMBAAE=
        -----END PUBLIC KEY-----
        """

    /// A key of python-tuf's, with 2,048 bits.
    private func longRSA() throws -> String {
        let root = try PythonRepository.document("1.root.json").required("signed")
        for (_, key) in try root.required("keys").members() where try key.required("keytype").string() == "rsa" {
            return try key.required("keyval").required("public").string()
        }
        return ""
    }

    @Test("a key of RSA has 2,048 bits or more, and is read as it is written in PEM, and in no other form")
    func rsa() throws {
        let pem = try longRSA()
        let key = try #require(RSAPublicKey(pem: pem))
        #expect(RSAPublicKey(pem: pem + "\n")?.derRepresentation == key.derRepresentation)
        #expect(RSAPublicKey(pem: pem.replacing("\n", with: "\r\n"))?.derRepresentation == key.derRepresentation)
        #expect(!key.isValid([UInt8](repeating: 1, count: 256), of: payload))
        for other in [
            Self.shortRSA, "", pem.replacing("PUBLIC", with: "RSA PUBLIC"), String(pem.dropLast(30)), "a\n" + pem,
        ] {
            #expect(RSAPublicKey(pem: other) == nil)
        }
    }

    @Test("a key of RSA whose DER is cut or has a wrong length or algorithm is none")
    func malformedRSA() throws {
        let lines = try longRSA().split(separator: "\n")
        let der = Array(try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined())))
        func key(_ der: [UInt8]) -> RSAPublicKey? {
            let text = Data(der).base64EncodedString()
            return RSAPublicKey(pem: "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n")
        }
        #expect(key(der) != nil)
        for count in 1..<der.count { #expect(key(Array(der.prefix(count))) == nil) }
        #expect(key(der + [0]) == nil)
        for index in 0..<24 {
            var changed = der
            changed[index] ^= 1
            #expect(key(changed) == nil, "byte \(index)")
        }
    }

    @Test("a key is the same one in digits of either case")
    func identity() throws {
        let digits = String(repeating: "ab", count: 32)
        let (lower, upper) = (
            try key(TestKey.json("ed25519", "ed25519", digits)),
            try key(TestKey.json("ed25519", "ed25519", digits.uppercased()))
        )
        #expect(lower != nil)
        #expect(lower == upper)
    }
}
