import BundleTesting
import Foundation
import Testing

/// The ways of opening a bundle's pages in Chromium that Shells.md describes.
@Suite(
    "A browser that is pointed at the endpoint",
    .enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests")
)
struct ShellTests {
    @Test func `opens a mount at the root of a port`() async throws {
        try await withApp(origin: "https://m.example.com/shop/") { bundlectl, _ in
            try await bundlectl.serving("--mount", "app=/") { address, _ in
                try await expectPage("\(address)/", origin: address)
            }
        }
    }

    @Test func `opens the real http origin by the proxy setting`() async throws {
        try await withApp(origin: "http://m.example.com/shop/") { bundlectl, _ in
            try await bundlectl.serving { address, _ in
                let url = "http://m.example.com/shop/"
                try await expectPage(url, origin: "http://m.example.com", ["--proxy-server=\(address)"])
            }
        }
    }

    @Test func `opens the real https origin by a rule for its address`() async throws {
        try await withApp(origin: "https://m.example.com/shop/") { bundlectl, folder in
            let certificate = try TestCertificate.make("m.example.com", in: folder)
            let files = ["--tls-certificate", certificate.certificate, "--tls-key", certificate.key]
            try await bundlectl.serving(files) { address, _ in
                let host = address.replacingOccurrences(of: "https://", with: "")
                let rule = "--host-resolver-rules=MAP m.example.com:443 \(host)"
                // On a device it is trusted.
                let arguments = [rule, "--ignore-certificate-errors"]
                try await expectPage("https://m.example.com/shop/", origin: "https://m.example.com", arguments)
            }
        }
    }

    private func withApp(
        origin: String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Bundlectl, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let bundlectl = Bundlectl(store: folder.path(of: "store"))
            let page = "<!doctype html><link rel=icon href=data:,><script type=module src=app.js></script>"
            let tree = [
                "bundle.json": #"{"name": "app", "version": "1.0.0", "origins": [{"url": "\#(origin)"}]}"#,
                "index.html": page, "app.js": "document.body.dataset.ready = '1'",
            ]
            let archive = folder.path(of: "app.zip")
            try await bundlectl.expect(0, "pack", folder.write(tree: tree, to: "app"), archive)
            try await bundlectl.expect(0, "install", archive)
            try await body(bundlectl, folder)
        }
    }

    private func expectPage(_ url: String, origin: String, _ arguments: [String] = []) async throws {
        try await withBrowser(arguments: arguments) { browser in
            try await browser.navigate(to: url)
            try await browser.wait(until: "document.body.dataset.ready === '1'")
            #expect(try await browser.execute("return location.origin").string == origin)
            #expect(try await browser.networkEvents().filter(\.isFailure) == [])
        }
    }
}
