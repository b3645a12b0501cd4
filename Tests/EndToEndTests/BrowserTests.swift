import BundleTesting
import Testing

/// The sample app in a real browser: Debian's Chromium, headless.
@Suite(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
struct BrowserTests {
    @Test func `the shop opens without a failed request, with the network and again without it`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                try await Self.openShop(at: Bundlectl.own("shop", address))
                try await publisher.stop()
                try await Self.openShop(at: Bundlectl.own("shop", address))
                try await Self.openProduct(at: Bundlectl.own("shop", address) + "products/7")
            }
        }
    }

    private static func openShop(at url: String) async throws {
        try await withBrowser { browser in
            try await browser.navigate(to: url)
            try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
            #expect(try await browser.text(of: "[data-version]") == "1.0.0")
            #expect(try await browser.text(of: "[data-stock]") == "in stock: 12")
            try await expectNoFailure(browser)
        }
    }

    /// A client-side route without a file.
    private static func openProduct(at url: String) async throws {
        try await withBrowser { browser in
            try await browser.navigate(to: url)
            try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
            #expect(try await browser.execute("return document.title").string?.contains("Pour-over Dripper") == true)
            try await expectNoFailure(browser)
        }
    }

    private static func expectNoFailure(_ browser: Browser) async throws {
        let requests = try await browser.networkEvents()
        #expect(requests.count > 5, "the page made its requests")
        #expect(requests.filter(\.isFailure) == [])
        #expect(try await browser.consoleMessages().filter(\.isError) == [])
    }
}

extension Browser {
    fileprivate func text(of selector: String) async throws -> String? {
        try await execute("return document.querySelector('\(selector)').textContent.trim()").string
    }
}
