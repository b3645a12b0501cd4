import BundleTesting
import Foundation
import Testing

@Suite(
    "Browser",
    .serialized,
    .enabled(if: Browser.isInstalled, "chromium or chromedriver isn't installed (apt install chromium chromium-driver)")
)
struct BrowserTests {
    @Test("a good page loads without a failed request or a console error")
    func goodPage() async throws {
        try await withPage(image: "logo.svg") { browser, origin in
            try await browser.wait(until: "document.querySelector('img').naturalWidth === 40")
            #expect(try await browser.execute("return document.querySelector('p').textContent") == "ready")
            #expect(try await browser.consoleMessages().filter(\.isError) == [])
            let events = try await browser.networkEvents()
            #expect(events.filter(\.isFailure) == [])
            #expect(events.contains(NetworkEvent(url: origin.baseURL + "/logo.svg", outcome: .status(200))))
            #expect(try await browser.screenshot().starts(with: [0x89, 0x50, 0x4e, 0x47]))
        }
    }

    @Test("an image that isn't there is reported as a failed request and on the console")
    func missingImage() async throws {
        try await withPage(image: "missing.png") { browser, origin in
            let missing = NetworkEvent(url: origin.baseURL + "/missing.png", outcome: .status(404))
            #expect(try await browser.networkEvents().filter(\.isFailure) == [missing])
            let errors = try await browser.consoleMessages().filter(\.isError)
            #expect(errors.count == 1)
            #expect(errors.first?.source == "network")
            #expect(errors.first?.text.contains("/missing.png") == true)
        }
    }

    @Test("a request to an origin that is gone is reported with Chromium's reason")
    func stoppedOrigin() async throws {
        try await withPage(image: "logo.svg") { browser, origin in
            await origin.stop()
            let outcome = try await browser.execute("return fetch('/late').then(() => 'answered', () => 'failed')")
            #expect(outcome == "failed")
            let failures = try await browser.networkEvents().filter(\.isFailure)
            #expect(
                failures == [
                    NetworkEvent(url: origin.baseURL + "/late", outcome: .failure("net::ERR_CONNECTION_REFUSED"))
                ]
            )
        }
    }

    @Test("what the page writes and throws is on the console")
    func console() async throws {
        try await withPage(image: "logo.svg") { browser, _ in
            try await browser.execute("console.warn('careful')")
            let warning = try await browser.consoleMessages().first { $0.level == "WARNING" }
            #expect(warning?.source == "console-api")
            #expect(warning?.text.contains("careful") == true)
            let error = await #expect(throws: WebDriverError.self) {
                try await browser.execute("throw Error('broken')")
            }
            #expect(error?.message.contains("broken") == true)
        }
    }

    private func withPage(image: String, _ body: (Browser, OriginServer) async throws -> Void) async throws {
        let page = """
            <!doctype html><meta charset=utf-8><title>Page</title><link rel=icon href=data:,>
            <p></p><img src="\(image)"><script type=module src=app.js></script>
            """
        let logo = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'/>"
        let script = "document.querySelector('p').textContent = 'ready'"
        try await withTemporaryDirectory { directory in
            try directory.write(tree: ["index.html": page, "app.js": script, "logo.svg": logo])
            try await withOriginServer(files: OriginFiles(folder: directory.path)) { origin in
                try await withBrowser { browser in
                    try await browser.navigate(to: origin.baseURL + "/")
                    try await body(browser, origin)
                }
            }
        }
    }
}
