import BundleTesting
import Foundation
import Testing

/// `bundlectl serve` behind a reverse proxy that has it below `/kiosk/`.
struct ProxyTests {
    private static let document = ["-H", "Sec-Fetch-Mode: navigate", "-H", "Sec-Fetch-Dest: document"]

    /// Installs a shop whose page asks for what is late when it is told to.
    private func install(_ version: String, _ bundlectl: Bundlectl, _ folder: TemporaryDirectory) async throws {
        let head = #"<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">"#
        try folder.write(
            tree: [
                "bundle.json": #"{"name": "shop", "version": "\#(version)", "origins": []}"#,
                "index.html": "\(head)<a href=\"docs\">Docs</a>", "docs/index.html": "\(head)<a href=\"..\">Shop</a>",
                "late.txt": version,
            ],
            to: "shop-\(version)"
        )
        let archive = folder.path(of: "shop-\(version).zip")
        try await bundlectl.expect(0, "pack", folder.path(of: "shop-\(version)"), archive)
        try await bundlectl.expect(0, "install", archive)
    }

    @Test(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
    func `a browser stays below the public URL, with its cookies, its calls and the version of its page`() async throws
    {
        try await withPrefixProxy("/kiosk/") { proxy in
            try await withBundlectl { bundlectl, folder in
                try await install("1.0.0", bundlectl, folder)
                let root = "\(proxy.baseURL)/kiosk"
                try await bundlectl.serving("--mount", "shop=/m", "--public-url", "\(root)/") { address, server in
                    _ = try await server.waitForLine(containing: "shop 1.0.0: \(root)/m/")
                    proxy.pass(to: address)
                    try await withBrowser { browser in
                        try await browser.navigate(to: "\(root)/")
                        _ = try await browser.execute("document.querySelector('a').click()")
                        try await browser.wait(until: "location.pathname === '/kiosk/m/'")
                        _ = try await browser.execute("document.querySelector('a').click()")
                        try await browser.wait(until: "location.pathname === '/kiosk/m/docs/'")
                        _ = try await browser.execute("document.querySelector('a').click()")
                        try await browser.wait(until: "location.pathname === '/kiosk/m/'")
                        try await install("1.1.0", bundlectl, folder)
                        let late = try await browser.execute("return (await fetch('late.txt')).text()")
                        #expect(late.string == "1.0.0")
                        let state = try await browser.execute("return (await fetch('.bundles/shop')).json()")
                        #expect(state["active"]?.string == "1.1.0")
                        #expect(state["page"]?.string == "1.0.0")
                        try await browser.navigate(to: "\(root)/m/")
                        let next = try await browser.execute("return (await fetch('late.txt')).text()")
                        #expect(next.string == "1.1.0")
                    }
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `redirects stay below the proxy's path without any option`(_ keepsHost: Bool) async throws {
        try await withPrefixProxy("/kiosk/", keepsHost: keepsHost) { proxy in
            try await withBundlectl { bundlectl, folder in
                try await install("1.0.0", bundlectl, folder)
                try await bundlectl.serving("--mount", "shop=/m") { address, _ in
                    proxy.pass(to: address)
                    for (path, end) in [("/kiosk/m", "/kiosk/m/"), ("/kiosk/m/docs?x", "/kiosk/m/docs/?x")] {
                        let options =
                            Self.document + ["--location", "--write-out", "\n%{url_effective}", "--output", "-"]
                        let page = try await Curl.get(proxy.baseURL + path, options)
                        #expect(page.text.hasSuffix("\n\(proxy.baseURL)\(end)"))
                        #expect(page.text.contains("<title>Shop"))
                    }
                    let overview = try await Curl.get("\(proxy.baseURL)/kiosk/", Self.document)
                    #expect(overview.text.contains("<a href=\"./m/\">shop</a>"))
                }
            }
        }
    }
}
