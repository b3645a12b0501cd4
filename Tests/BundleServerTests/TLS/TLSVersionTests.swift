import BundleStore
import BundleTesting
import NIOSSL
import Testing

@testable import BundleServer

@Suite("Supported TLS versions")
struct TLSVersionTests {
    private static let modern: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
    private static let forbidden: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
    ]

    @Test(
        "TLS 1.2 has the cipher suites that HTTP/2 allows, and no others (RFC 9113 §9.2.2)",
        arguments: modern.map { ($0, true) } + forbidden.map { ($0, false) }
    )
    func suites(_ suite: NIOTLSCipher, _ isTaken: Bool) async throws {
        try await check(isTaken) { configuration in
            configuration.maximumTLSVersion = .tlsv12
            configuration.cipherSuiteValues = [suite]
        }
    }

    @Test(
        "the versions are 1.2 and 1.3 (RFC 8996)",
        arguments: [(TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true)]
    )
    func versions(_ version: TLSVersion, _ isTaken: Bool) async throws {
        try await check(isTaken) { configuration in
            configuration.minimumTLSVersion = version
            configuration.maximumTLSVersion = version
        }
    }

    private func check(_ isTaken: Bool, _ configure: (inout TLSConfiguration) -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("localhost", in: folder)
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            let files = TLSFiles(certificate: certificate.certificate, key: certificate.key)
            try await withEndpoint(store, configure: { $0.tls = files }) { endpoint in
                var status: Int?
                do {
                    status = try await withRawConnection(
                        to: endpoint.port,
                        offering: "http/1.1",
                        configure: configure
                    ) { connection in
                        try await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        return try await connection.response().status
                    }
                } catch  where !isTaken {}
                #expect(status == (isTaken ? 200 : nil))
            }
        }
    }
}
