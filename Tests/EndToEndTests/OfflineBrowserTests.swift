import BundleTesting
import Testing

/// The sample shop in Chromium, when its release lacks a script, a style and two pictures.
@Suite(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
struct OfflineBrowserTests {
    private static let leftOut: [(prefix: String, suffix: String)] = [
        ("dom.", ".js"), ("app.", ".css"), ("hero.", ".png"), ("grinder.", ".svg"),
    ]

    /// - Parameter maxAge: How long the origin's responses are fresh, in seconds.
    @Test(arguments: [60, 0])
    func `what was opened once opens without the origin, from the bundle and the cache`(_ maxAge: Int) async throws {
        try await Self.withShop(maxAge: maxAge) { shop, origin in
            try await shop.bundlectl.serving { address, _ in
                let url = Bundlectl.own("shop", address)
                try await withBrowser { browser in
                    try await Self.openShop(url, browser)
                    #expect(Set(origin.requestedPaths.filter { Self.isFromOrigin($0) }).count == Self.leftOut.count + 1)
                    await origin.stop()
                    try await Self.openShop(url, browser)
                }
                // One that has nothing in its own cache.
                try await withBrowser { browser in
                    try await Self.openShop(url, browser)
                    try await Self.expectHits(browser, maxAge: maxAge)
                }
            }
        }
    }

    @Test func `on a metered link pictures are blocked, and the page opens`() async throws {
        let rule = #"{"match": {"kind": ["image", "media"]}, "onlyIfMetered": true, "strategy": "block"}"#
        try await Self.withShop(maxAge: 60, rules: "[\(rule)]") { shop, origin in
            try await shop.bundlectl.serving("--metered") { address, _ in
                try await withBrowser { browser in
                    try await Self.open(Bundlectl.own("shop", address), browser)
                    #expect(try await Self.missingPictures(browser) == ["grinder", "hero"])
                }
            }
            #expect(!origin.requestedPaths.contains { $0.contains("hero") || $0.contains("grinder") })
            try await shop.bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await Self.openShop(Bundlectl.own("shop", address), browser)
                }
            }
        }
    }

    @Test func `a running server blocks pictures once the link is said to be metered, and until it no longer is`()
        async throws
    {
        let rule = #"{"match": {"kind": "image"}, "onlyIfMetered": true, "strategy": "block"}"#
        try await Self.withShop(maxAge: 60, rules: "[\(rule)]") { shop, _ in
            try await shop.bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await Self.openShop(Bundlectl.own("shop", address), browser)
                    for (word, isBlocked) in [("on", true), ("off", false)] {
                        try await shop.bundlectl.expect(0, "network", "metered", word)
                        try await Self.waitUntilPictures(areBlocked: isBlocked, browser)
                    }
                }
            }
        }
    }

    /// Loads a picture again and again, each time from another URL.
    private static func waitUntilPictures(areBlocked isBlocked: Bool, _ browser: Browser) async throws {
        try await browser.execute(
            """
            const source = document.querySelector('.hero img').src.split('?')[0];
            const isBlocked = (number) => new Promise((resolve) => {
                const image = new Image();
                image.onload = () => resolve(false);
                image.onerror = () => resolve(true);
                image.src = `${source}?${number}`;
            });
            return (async () => {
                for (let number = performance.now(); await isBlocked(number) !== \(isBlocked); number += 1) {}
            })();
            """
        )
    }

    private static func withShop(
        maxAge: Int,
        rules: String = "[]",
        _ body: (SampleApp, OriginServer) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let shop = SampleApp(in: folder)
            try await withOriginServer(files: OriginFiles(folder: shop.site, maxAge: maxAge)) { origin in
                try await shop.installShop(origin: origin.baseURL, leavingOut: leftOut, rules: rules)
                try await body(shop, origin)
            }
        }
    }

    /// Opens the shop, and checks that everything is there.
    private static func openShop(_ url: String, _ browser: Browser) async throws {
        try await open(url, browser)
        #expect(try await missingPictures(browser) == [])
        #expect(try await browser.networkEvents().filter(\.isFailure) == [])
        #expect(try await browser.consoleMessages().filter(\.isError) == [])
    }

    /// Opens the shop, and checks that everything but the pictures is there.
    private static func open(_ url: String, _ browser: Browser) async throws {
        try await browser.navigate(to: url)
        try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
        let found = try await browser.execute(
            """
            return [
                document.querySelector('[data-version]').textContent, document.querySelector('[data-stock]').textContent,
                document.querySelector('h1').textContent, getComputedStyle(document.body).maxWidth,
            ]
            """
        )
        #expect(found == ["1.0.0", "in stock: 12", "Goods for slow mornings", "1240px"])
    }

    /// The names of the pictures that aren't there, without their hashes.
    private static func missingPictures(_ browser: Browser) async throws -> [String] {
        let names = try await browser.execute(
            """
            return [...document.images].filter((image) => image.naturalWidth === 0)
                .map((image) => image.src.split('/').pop().split('.')[0])
            """
        )
        return (names.array ?? []).compactMap(\.string).sorted()
    }

    /// Each response came from the bundle, or from the cache, without the origin where it is fresh.
    private static func expectHits(_ browser: Browser, maxAge: Int) async throws {
        // The calls to the endpoint itself are neither.
        let responses = try await browser.responses().filter { !$0.path.hasPrefix("/.bundles/") }
        #expect(responses.count > 10)
        for response in responses {
            let isStale = maxAge == 0 && isFromOrigin(response.path)
            let status = response.cacheStatus
            #expect(!response.isFromBrowser, "\(response.url)")
            #expect(status.contains(isStale ? #"detail="stale""# : "; hit"), "\(response.url): \(status)")
        }
        #expect(Set(responses.map(\.path).filter(isFromOrigin)).count == leftOut.count + 1)
    }

    /// Whether a path is that of a file that the release lacks.
    private static func isFromOrigin(_ path: String) -> Bool {
        path.hasSuffix("/api/stock.json")
            || leftOut.contains { path.contains("/assets/\($0.prefix)") && path.hasSuffix($0.suffix) }
    }
}
