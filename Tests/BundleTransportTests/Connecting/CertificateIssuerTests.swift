import BundleTesting
import NIOSSL
import Testing

@testable import BundleTransport

@Suite("The issuer of a certificate")
struct CertificateIssuerTests {
    @Test(
        "is its common name, fit to be shown",
        arguments: [("Example CA", "Example CA"), ("a\u{1B}[2Jb", "a\\u{1b}[2Jb")]
    )
    func commonName(_ subject: String, _ shown: String) throws {
        let bytes = Self.certificate([Self.attribute(0x0A, "Example Ltd"), Self.attribute(0x03, subject)])
        #expect(CertificateIssuer.name(ofDER: bytes) == shown)
    }

    @Test("is its organisation when it has no common name, and none when it has neither")
    func organisation() {
        let bytes = Self.certificate([Self.attribute(0x06, "GB"), Self.attribute(0x0A, "Example Ltd")])
        #expect(CertificateIssuer.name(ofDER: bytes) == "Example Ltd")
        #expect(CertificateIssuer.name(ofDER: Self.certificate([Self.attribute(0x06, "GB")])) == nil)
    }

    @Test("of a real certificate is read, and of each beginning of it nothing that isn't there")
    func real() async throws {
        try await withTemporaryDirectory { folder in
            let file = try TestCertificate.make("Real CA", in: folder).certificate
            let bytes = try #require(try NIOSSLCertificate.fromPEMFile(file).first).toDERBytes()
            #expect(CertificateIssuer.name(ofDER: bytes) == "Real CA")
            for count in bytes.indices {
                // The outer length isn't met.
                #expect(CertificateIssuer.name(ofDER: Array(bytes.prefix(count))) == nil)
            }
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] = 0xFF
                _ = CertificateIssuer.name(ofDER: damaged)
            }
        }
    }

    private static func attribute(_ number: UInt8, _ text: String) -> [UInt8] {
        element(0x31, element(0x30, element(0x06, [0x55, 0x04, number]) + element(0x0C, Array(text.utf8))))
    }

    private static func certificate(_ issuer: [[UInt8]]) -> [UInt8] {
        let unsigned =
            element(0xA0, [2, 1, 2]) + element(0x02, [1]) + element(0x30, []) + element(0x30, Array(issuer.joined()))
        return element(0x30, element(0x30, unsigned))
    }

    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag, UInt8(contents.count)] + contents
    }
}
