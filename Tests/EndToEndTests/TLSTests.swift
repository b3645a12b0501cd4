import BundleTesting
import Foundation
import Testing

/// `serve` over TLS and HTTP/2, as seen by the real curl.
struct TLSTests {
    @Test(arguments: [("--http2", "HTTP/2"), ("--http1.1", "HTTP/1.1")])
    func `a page is served over TLS in the negotiated version`(option: String, version: String) async throws {
        try await withSecureServer { address, certificate, _, _ in
            let page = try await Curl.get("\(address)/shop/", option, "--cacert", certificate.certificate)
            #expect(address.hasPrefix("https://"))
            #expect(page.version == version)
            #expect(page.status == 200)
            #expect(page.body == (try Project.contents("bundles/shop/1.0.0/index.html")))
        }
    }

    @Test(arguments: ["--tlsv1.2", "--tlsv1.3"])
    func `TLS 1.2 and 1.3 are supported`(version: String) async throws {
        try await withSecureServer { address, certificate, _, _ in
            let maximum = version.replacingOccurrences(of: "--tlsv", with: "")
            let page = try await Curl.get(
                "\(address)/shop/",
                version,
                "--tls-max",
                maximum,
                "--cacert",
                certificate.certificate
            )
            #expect(page.status == 200)
        }
    }

    @Test func `a request without TLS gets an error that names https`() async throws {
        try await withSecureServer { address, _, _, _ in
            let response = try await Curl.get(address.replacingOccurrences(of: "https://", with: "http://"))
            #expect(response.status == 400)
            #expect(response.text.contains("https://"))
        }
    }

    @Test func `HTTP/2 is supported in clear text by prior knowledge`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                let page = try await Curl.get("\(address)/shop/", "--http2-prior-knowledge")
                #expect(page.version == "HTTP/2")
                #expect(page.body == (try Project.contents("bundles/shop/1.0.0/index.html")))
                let stock = try await Curl.get("\(address)/shop/api/stock.json", "--http2-prior-knowledge")
                #expect(stock["cache-status"]?.contains("fwd=uri-miss") == true)
                #expect(stock.status == 200)
            }
        }
    }

    @Test func `a renewed certificate is reloaded automatically, and an invalid one isn't`() async throws {
        try await withSecureServer { address, certificate, server, folder in
            let renewed = try TestCertificate.make("renewed", in: folder)
            let former = try folder.write(Data(contentsOf: URL(fileURLWithPath: certificate.certificate)), to: "former")
            try folder.write("not a certificate", to: "first-certificate.pem")
            try await server.waitForErrorOutput(containing: "stays in use")
            #expect(try await Curl.get("\(address)/shop/", "--cacert", former).status == 200)

            for (source, target) in [(renewed.certificate, certificate.certificate), (renewed.key, certificate.key)] {
                try folder.write(
                    Data(contentsOf: URL(fileURLWithPath: source)),
                    to: String(target.dropFirst(folder.path.count + 1))
                )
            }
            try await server.waitForErrorOutput(containing: "new connections get")
            #expect(try await Curl.get("\(address)/shop/", "--cacert", renewed.certificate).status == 200)
        }
    }

    @Test func `options that exclude each other and unusable files are reported`() async throws {
        try await withPublisher { _, bundlectl in
            let lonely = try await bundlectl.expect(64, "serve", "--tls-key", "/nowhere")
            #expect(lonely.errorOutput.contains("go together"))
            let missing = try await bundlectl.expect(
                66,
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--tls-key",
                "/nowhere",
                "--tls-certificate",
                "/nowhere.pem"
            )
            #expect(missing.errorOutput.contains("/nowhere.pem"))
        }
    }

    private func withSecureServer(
        _ body: (_ address: String, TestCertificate, ChildProcess, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await withTemporaryDirectory { folder in
                let made = try TestCertificate.make("first", in: folder)
                try await bundlectl.serving("--tls-certificate", made.certificate, "--tls-key", made.key) {
                    try await body($0, made, $1, folder)
                }
            }
        }
    }
}
