import BundleModel
import BundleNetwork
import BundleTesting
import Foundation
import HTTPCore
import Testing

@testable import BundleTransport

@Suite("Trusted certificates")
struct TrustedCertificatesTests {
    @Test("are those of added files, or of a file in place of the system's, and of no others")
    func trust() async throws {
        try await withTemporaryDirectory { folder in
            let (own, other) = (
                try TestCertificate.make("own", in: folder), try TestCertificate.make("other", in: folder)
            )
            let (file, otherFile) = (own.certificate, other.certificate)
            let names = [
                "empty/readme": "none", "hashed/00000000.0": try String(contentsOfFile: file, encoding: .utf8),
            ]
            let tree = try folder.write(tree: names, to: "folders")
            let (empty, hashed) = ("\(tree)/empty", "\(tree)/hashed")
            try await withSecureOrigin(own) { call in
                let trusting = [
                    try TrustedCertificates(adding: [otherFile, file]),
                    try TrustedCertificates(adding: [], replacingSystem: [file]),
                    try TrustedCertificates(adding: [], replacingSystem: [otherFile, file]),
                    try TrustedCertificates(adding: [file], replacingSystem: [otherFile]),
                    try TrustedCertificates(adding: [file], replacingSystem: [file]),
                    try TrustedCertificates(adding: [], replacingSystem: [file, empty]),
                    try TrustedCertificates(adding: [], replacingSystem: [empty, hashed]),
                ]
                for trust in trusting {
                    let text = try await withTransport(tls: TLSClient(trust)) { try await $0.read(call).text }
                    #expect(text == "hello")
                }
                let distrusting = [
                    .system, try TrustedCertificates(adding: [otherFile]),
                    try TrustedCertificates(adding: [], replacingSystem: [otherFile]),
                    try TrustedCertificates(adding: [], replacingSystem: [empty]),
                ]
                for trust in distrusting {
                    try await withTransport(tls: TLSClient(trust)) { transport in
                        let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                        #expect(error?.certificateFault == .unknownIssuer("own"))
                    }
                }
            }
        }
    }

    @Test("that are added are read at once, and those in place of the system's with the first connection")
    func unreadable() async throws {
        try await withTemporaryDirectory { folder in
            let missing = folder.path(of: "missing.pem")
            let error = #expect(throws: BundleError.self) { try TrustedCertificates(adding: [missing]) }
            #expect(error?.code == .inputUnavailable)
            #expect(error?.message.contains("\(missing) can't be read: No such file") == true)
            for content in ["", "not a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
                let file = try folder.write(content, to: "other.pem")
                let error = #expect(throws: BundleError.self) { try TrustedCertificates(adding: [file]) }
                #expect(error?.code == .invalidArgument, "\(content)")
                #expect(error?.message.contains("\(file) has no certificate in PEM") == true)
            }
            let own = try TestCertificate.make("own", in: folder)
            try await withSecureOrigin(own) { call in
                let trust = try TrustedCertificates(adding: [own.certificate], replacingSystem: [missing])
                try await withTransport(tls: TLSClient(trust)) { transport in
                    let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                    #expect(error?.code == .inputUnavailable)
                    #expect(error?.message.contains(missing) == true)
                }
            }
        }
    }
}
