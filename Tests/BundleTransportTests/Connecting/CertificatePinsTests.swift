import BundleModel
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import NIOSSL
import Testing

@testable import BundleTransport

@Suite("Pinned keys")
struct CertificatePinsTests {
    @Test("admit a trusted certificate with one of the host's keys, and every one of other hosts")
    func admission() async throws {
        try await withTemporaryDirectory { folder in
            let (own, other) = (
                try TestCertificate.make("own", in: folder), try TestCertificate.make("other", in: folder)
            )
            let (ownPin, otherPin) = (try pin(of: own), try pin(of: other))
            let trust = try TrustedCertificates(adding: [own.certificate])
            try await withSecureOrigin(own) { call in
                for pins in [
                    ["127.0.0.1": [ownPin]], ["127.0.0.1": [otherPin, ownPin]], ["localhost": [otherPin]], [:],
                ] as [[String: [String]]] {
                    try await withTransport(tls: TLSClient(trust, pins: try CertificatePins(pins))) { transport in
                        let text = try await transport.read(call).text
                        #expect(text == "hello", "\(pins)")
                    }
                }
                let pins = try CertificatePins(["127.0.0.1": [otherPin]])
                try await withTransport(tls: TLSClient(trust, pins: pins)) { transport in
                    let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                    #expect(error?.certificateFault == .otherKey)
                }
                // A pin doesn't make a certificate trusted.
                try await withTransport(tls: TLSClient(pins: try CertificatePins(["127.0.0.1": [ownPin]]))) {
                    transport in
                    let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                    #expect(error?.certificateFault == .unknownIssuer("own"))
                }
            }
        }
    }

    @Test("hold for a name in every case")
    func names() async throws {
        try await withTemporaryDirectory { folder in
            let (own, other) = (
                try TestCertificate.make("own", in: folder), try TestCertificate.make("other", in: folder)
            )
            let pins = try CertificatePins(["LocalHost": [try pin(of: other)]])
            let tls = TLSClient(try TrustedCertificates(adding: [own.certificate]), pins: pins)
            try await withSecureOrigin(own) { call in
                for host in ["localhost", "LOCALHOST", "localhost."] {
                    var call = call
                    call.request.authority = host
                    try await withTransport(tls: tls) { transport in
                        let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                        #expect(error?.certificateFault == .otherKey)
                    }
                }
            }
        }
    }

    @Test("are refused with a reason in another form", arguments: ["", "sha256/", "sha256/AAAA", "sha1/AAAA", "AAAA"])
    func forms(_ pin: String) {
        let error = #expect(throws: BundleError.self) { try CertificatePins(["m.example.com": [pin]]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("“\(pin)” is not a pin; write sha256/ and 32 bytes in Base64") == true)
    }

    @Test(
        "are for hosts alone",
        arguments: ["m.example.com:443", "https://m.example.com", "bücher.example", " a", "", "."]
    )
    func hosts(_ host: String) {
        let error = #expect(throws: BundleError.self) {
            try CertificatePins([host: ["sha256/" + String(repeating: "A", count: 43) + "="]])
        }
        #expect(error?.message.contains("is not a host; write a name in ASCII or an address") == true)
    }

    @Test(
        "are one host's, however it is written",
        arguments: [("m.example.com", "M.example.com."), ("::1", "[0:0:0:0:0:0:0:1]"), ("127.0.0.1", "127.1")]
    )
    func spellings(_ host: String, _ other: String) {
        #expect(CertificateHost(host) != nil && CertificateHost(host) == CertificateHost(other))
    }

    @Test("can't be an empty list, which would leave a host open or shut by mistake")
    func emptyList() {
        let error = #expect(throws: BundleError.self) { try CertificatePins(["m.example.com": []]) }
        #expect(error?.message.contains("m.example.com has no pin") == true)
    }

    private func pin(of certificate: TestCertificate) throws -> String {
        let first = try #require(try NIOSSLCertificate.fromPEMFile(certificate.certificate).first)
        let key = try first.extractPublicKey().toSPKIBytes()
        return "sha256/" + Digest(of: key).withUnsafeBytes { Data($0).base64EncodedString() }
    }
}
