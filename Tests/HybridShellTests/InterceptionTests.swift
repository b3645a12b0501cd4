import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// What the shell does with the window's connections.
@Suite(
    "The shell as the window's proxy",
    .serialized,
    .enabled(if: ShellWindow.canRun, "scripts/test builds the shell after scripts/bootstrap window")
)
struct InterceptionTests {
    @Test("a bundle that is installed while the window is open has its origins at once", .timeLimit(.minutes(3)))
    func laterOrigins() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            let origin = OriginServer()
            origin.route("/", to: ScriptedResponse("<!doctype html><title>Network</title>", type: "text/html"))
            try await origin.start()
            try await app.install(try app.shop("1.0.0"))
            try folder.write("<!doctype html><title>Bundle</title>", to: "late/index.html")
            let mappings = [origin.baseURL, "https://late.example"].map { #"{"url": "\#($0)/", "path": "/"}"# }
            try folder.write(
                #"{"name": "late", "version": "1.0.0", "origins": [\#(mappings.joined(separator: ","))]}"#,
                to: "late/bundle.json"
            )
            try await app.drive("--update-interval", "0") { browser in
                // This connection is passed on, and stays open.
                try await browser.navigate(to: origin.baseURL + "/")
                #expect(try await browser.execute("return document.title") == "Network")
                try await app.install(folder.path(of: "late"))
                try await Self.wait(for: "Bundle", at: origin.baseURL + "/", browser)
                origin.forgetRequests()
                try await browser.navigate(to: "https://late.example/")
                #expect(
                    try await browser.execute("return [location.origin, document.title, isSecureContext]")
                        == ["https://late.example", "Bundle", true]
                )
                // An update with another origin.
                try await app.install(try app.shop("1.1.0", origin: "https://moved.example"))
                try await Self.wait(for: "Pier Nine", at: "https://moved.example/shop/", browser)
                try await browser.navigate(to: origin.baseURL + "/")
                #expect(try await browser.execute("return document.title") == "Bundle")
            }
            #expect(origin.requestedPaths == [])
            await origin.stop()
            try await app.display.end()
        }
    }

    /// Opens an address until the shell has noticed a change of another process.
    private static func wait(for title: String, at url: String, _ browser: Browser) async throws {
        for _ in 0..<300 {
            // A page that can't be loaded is an error of WebDriver's.
            if (try? await browser.navigate(to: url)) != nil,
                try await browser.execute("return document.title") == .string(title)
            {
                return
            }
        }
        Issue.record("\(url) doesn't show \(title)")
    }
}
