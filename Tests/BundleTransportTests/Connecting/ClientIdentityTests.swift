import BundleModel
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleTransport

@Suite("A client's certificate")
struct ClientIdentityTests {
    @Test("is shown to the named hosts alone, and to every host that asks when none is named")
    func hosts() async throws {
        try await withTemporaryDirectory { folder in
            let (server, client) = (
                try TestCertificate.make("server", in: folder), try TestCertificate.make("client", in: folder)
            )
            let trust = try TrustedCertificates(adding: [server.certificate])
            try await withSecureOrigin(server, requiring: client) { call in
                for hosts in [[], ["127.0.0.1"], ["LOCALHOST", "127.0.0.1"]] as [Set<String>] {
                    let identity = try ClientIdentity(certificate: client.certificate, key: client.key, hosts: hosts)
                    try await withTransport(tls: TLSClient(trust, identities: [identity].compactMap(\.self))) {
                        transport in
                        let text = try await transport.read(call).text
                        #expect(text == "hello", "\(hosts)")
                    }
                }
                for identity in [
                    nil, try ClientIdentity(certificate: client.certificate, key: client.key, hosts: ["localhost"]),
                ] {
                    try await withTransport(tls: TLSClient(trust, identities: [identity].compactMap(\.self))) {
                        transport in
                        let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                        #expect(error?.code == .networkUnavailable)
                    }
                }
            }
        }
    }

    @Test("of an origin is shown to that alone, and each origin gets its own")
    func origins() async throws {
        try await withTemporaryDirectory { folder in
            let (server, client, other) = (
                try TestCertificate.make("server", in: folder), try TestCertificate.make("client", in: folder),
                try TestCertificate.make("other", in: folder)
            )
            let trust = try TrustedCertificates(adding: [server.certificate])
            try await withSecureOrigin(server, requiring: client) { call in
                let port = try #require(call.request.authority?.split(separator: ":").last.flatMap { Int($0) })
                let elsewhere = try ClientIdentity(
                    certificate: other.certificate,
                    key: other.key,
                    host: "127.0.0.1",
                    port: port == 1 ? 2 : 1
                )
                let own = try ClientIdentity(
                    certificate: client.certificate,
                    key: client.key,
                    host: "127.0.0.1",
                    port: port
                )
                try await withTransport(tls: TLSClient(trust, identities: [elsewhere, own])) { transport in
                    let text = try await transport.read(call).text
                    #expect(text == "hello")
                }
                try await withTransport(tls: TLSClient(trust, identities: [elsewhere])) { transport in
                    let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                    #expect(error?.code == .networkUnavailable)
                }
            }
        }
    }

    @Test("isn't shown to a server that doesn't ask")
    func notRequested() async throws {
        try await withTemporaryDirectory { folder in
            let (server, client) = (
                try TestCertificate.make("server", in: folder), try TestCertificate.make("client", in: folder)
            )
            let identity = try ClientIdentity(certificate: client.certificate, key: client.key)
            let tls = TLSClient(try TrustedCertificates(adding: [server.certificate]), identities: [identity])
            try await withSecureOrigin(server) { call in
                try await withTransport(tls: tls) { transport in
                    let text = try await transport.read(call).text
                    #expect(text == "hello")
                }
            }
        }
    }

    @Test("is refused with a reason when a file is missing, isn't PEM, or the key is another's")
    func files() async throws {
        try await withTemporaryDirectory { folder in
            let (own, other) = (
                try TestCertificate.make("own", in: folder), try TestCertificate.make("other", in: folder)
            )
            let missing = folder.path(of: "missing.pem")
            let none = try folder.write("not a key", to: "none.pem")
            for (certificate, key, code, message) in [
                (missing, own.key, .inputUnavailable, "the certificates in \(missing) can't be read: No such file"),
                (own.certificate, missing, .inputUnavailable, "the key in \(missing) can't be read: No such file"),
                (none, own.key, .invalidArgument, "\(none) has no certificate in PEM"),
                (own.certificate, none, .invalidArgument, "\(none) has no private key in PEM"),
                (own.certificate, other.key, .invalidArgument, "the key in \(other.key) isn't that of the certificate"),
            ] as [(String, String, BundleError.Code, String)] {
                let error = #expect(throws: BundleError.self) { try ClientIdentity(certificate: certificate, key: key) }
                #expect(error?.code == code)
                #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            }
        }
    }
}
