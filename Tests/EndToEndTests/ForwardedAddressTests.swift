import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// An app that writes its own address into its page, as Gradio does, behind `bundlectl serve`.
struct ForwardedAddressTests {
    private static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!

    private static func page(_ request: HTTPRequest) -> ScriptedResponse {
        let host = request.headerFields[forwardedHost] ?? request.authority ?? ""
        var response = ScriptedResponse(
            """
            <!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,">
            <button>Greet</button><script>
            const root = "http://\(host)";
            document.querySelector("button").onclick = async () => {
              const response = await fetch(root + "/greet", { method: "POST", body: "kiosk" });
              document.title = await response.text();
            };
            </script>
            """,
            type: "text/html; charset=utf-8"
        )
        response.fields[.cacheControl] = "max-age=60"
        return response
    }

    /// Installs a bundle without files that has the app as its origin.
    private func install(_ bundlectl: Bundlectl, _ folder: TemporaryDirectory, origin: String) async throws {
        let manifest = """
            {"name": "app", "version": "1", "origins": [{"url": "\(origin)/", "path": "/"}], "forwardedAddress": true}
            """
        try folder.write(manifest, to: "app/bundle.json")
        try folder.write("User-agent: *\n", to: "app/robots.txt")
        let archive = folder.path(of: "app.zip")
        try await bundlectl.expect(0, "pack", folder.path(of: "app"), archive)
        try await bundlectl.expect(0, "install", archive)
    }

    @Test(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
    func `its page names the server, and a click goes through it`() async throws {
        try await withOriginServer { origin in
            origin.route("/") { Self.page($0) }
            origin.route("/greet") { request, content in
                ScriptedResponse("Hello \(String(decoding: content, as: UTF8.self))")
            }
            try await withBundlectl { bundlectl, folder in
                try await install(bundlectl, folder, origin: origin.baseURL)
                try await bundlectl.serving { address, _ in
                    let own = Bundlectl.own("app", address)
                    try await withBrowser { browser in
                        try await browser.navigate(to: own)
                        #expect(try await browser.execute("return root + '/'").string == own)
                        _ = try await browser.execute("document.querySelector('button').click()")
                        try await browser.wait(until: "document.title === 'Hello kiosk'")
                    }
                    let call = try #require(origin.requests.first { $0.path == "/greet" })
                    #expect(call.headerFields[.via]?.contains("offline-bundles") == true)
                    #expect(call.headerFields[.origin].map { "\($0)/" } == own)
                }
            }
        }
    }

    @Test func `a host that a client makes up reaches no other client, and one that isn't served not even the app`()
        async throws
    {
        try await withOriginServer { origin in
            origin.route("/") { Self.page($0) }
            try await withBundlectl { bundlectl, folder in
                try await install(bundlectl, folder, origin: origin.baseURL)
                try await bundlectl.serving { address, _ in
                    let refused = try await Curl.get("\(address)/app/", "-H", "Host: evil.example")
                    #expect(refused.status == 421)
                    #expect(origin.requests.isEmpty)
                    let forged = ["Host: 127.0.0.2:6666", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https"]
                    let own = try await Curl.get("\(address)/app/", forged.flatMap { ["-H", $0] })
                    #expect(own.text.contains("http://127.0.0.2:6666") && !own.text.contains("evil"))
                    for _ in 0..<3 {
                        let page = try await Curl.get("\(address)/app/")
                        #expect(page.text.contains("const root = \"\(address)\""))
                    }
                    #expect(origin.requests.count == 2)
                }
            }
        }
    }
}
