import BundleTesting
import Foundation
import Testing

/// The operators' dashboard in Chromium. `DASHBOARD_SCREENSHOTS` names a folder that keeps pictures, for people.
@Suite(
    "The dashboard in a browser",
    .enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests")
)
struct DashboardBrowserTests {
    /// Whether the table of versions ends where the card's padding begins.
    private static let tableFits =
        "document.querySelector('.versions').getBoundingClientRect().right <= 1 + "
        + "document.querySelector('.feed').getBoundingClientRect().right"
    private static let isLive = "document.querySelector('#connection').dataset.state === 'open'"

    @Test func `opens by the printed link, shows the bundles, and carries out what is clicked`() async throws {
        try await withDashboard { dashboard, browser async throws in
            try await browser.navigate(to: dashboard.url)
            try await browser.wait(until: Self.isLive)
            // The token is neither in the address bar nor in the history.
            #expect(try await browser.execute("return location.href").string == dashboard.origin + "/")
            #expect(try await dashboard.shown("h3", in: browser) == "shop 1.0.0")

            try await dashboard.click("check", browser)
            try await browser.wait(
                until:
                    "[...document.querySelectorAll('.pill')].some((pill) => pill.textContent === '1.1.0 is available')"
            )
            try await dashboard.click("update", browser)
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.1.0'")
            try await browser.wait(
                until: "document.querySelector('#messages').textContent.includes('shop 1.1.0 is active now')"
            )
            #expect(try await dashboard.page == "shop 1.1.0")

            try await dashboard.click("pin", browser, version: "1.0.0")
            try await browser.wait(
                until: "document.querySelector('[data-key=\"1.0.0\"] .state').textContent.includes('pinned')"
            )

            try await dashboard.click("activate", browser, version: "1.0.0")
            try await browser.wait(until: "document.querySelector('dialog').open")
            try await dashboard.confirm(browser)
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.0.0'")
            #expect(try await dashboard.page == "shop 1.0.0")
            try await dashboard.click("activate", browser, version: "1.1.0")
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.1.0'")

            try await dashboard.click("rollback", browser)
            try await dashboard.confirm(browser)
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.0.0'")
            try await browser.wait(until: "document.querySelector('#history').textContent.includes('Rolled back')")
            try await dashboard.click("hold", browser)
            try await browser.wait(
                until: "[...document.querySelectorAll('.pill')].some((pill) => pill.textContent === 'on hold')"
            )
            let entry = try #require(try await dashboard.site.bundlectl.json("list")["bundles"]?.array?.first)
            #expect(entry["active"]?.string == "1.0.0")
            #expect(entry["isOnHold"] == true)
            #expect(try await browser.consoleMessages().filter(\.isError) == [])
        }
    }

    @Test func `a release on trial is confirmed, or marked bad after a question`() async throws {
        try await withDashboard { dashboard, browser async throws in
            try await dashboard.installTrial("1.0.1")
            try await browser.navigate(to: dashboard.url)
            try await browser.wait(until: Self.isLive)
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.0.1'")
            let offered = "document.querySelector('[data-key=\"1.0.1\"] [data-action=mark-good]').checkVisibility()"
            try await browser.wait(until: offered)
            #expect(
                try await browser.execute(
                    "return document.querySelectorAll('[data-action=mark-bad]:not([hidden])').length"
                )
                .integer == 1
            )
            #expect(try await browser.accessibilityViolations() == [])
            for width in [320, 1280] {
                try await browser.emulate(width: width, height: 900, isDark: false)
                #expect(try await !browser.scrollsSideways())
                #expect(try await browser.execute("return \(Self.tableFits)") == true)
                try await browser.keepPicture("dashboard-trial-\(width)", in: "DASHBOARD_SCREENSHOTS")
            }
            try await dashboard.click("mark-good", browser, version: "1.0.1")
            try await browser.wait(
                until: "document.querySelector('#messages').textContent.includes('shop 1.0.1 is confirmed')"
            )
            try await browser.wait(until: "!\(offered)")

            try await dashboard.installTrial("1.0.2")
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.0.2'")
            try await dashboard.click("mark-bad", browser, version: "1.0.2")
            try await browser.wait(until: "document.querySelector('dialog').open")
            try await browser.keepPicture("dashboard-trial-question", in: "DASHBOARD_SCREENSHOTS")
            try await dashboard.confirm(browser)
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.0.1'")
            try await browser.wait(until: "document.querySelector('#history').textContent.includes('Marked bad')")
            let history = try await dashboard.site.bundlectl.json("history", "shop")["events"]?.array ?? []
            #expect(history.suffix(2).map { $0["kind"]?.string } == ["markedBad", "rolledBack"])
            #expect(history.contains { $0["kind"]?.string == "confirmed" && $0["version"]?.string == "1.0.1" })
            #expect(try await browser.consoleMessages().filter(\.isError) == [])
        }
    }

    @Test func `shows what other programs do, without being asked`() async throws {
        try await withDashboard { dashboard, browser async throws in
            try await browser.navigate(to: dashboard.url)
            try await browser.wait(until: Self.isLive)
            try await dashboard.site.install("shop", "2.0.0")
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 2.0.0'")
            try await dashboard.requestParts(["", "missing.js"])
            try await browser.wait(until: "document.querySelector('#misses').textContent.includes('missing.js')")
            try await browser.wait(until: "document.querySelector('#requests').textContent.includes('Active version')")
        }
    }

    @Test func `shows markup in what feeds, pages and clients say as text`() async throws {
        let markup = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
        try await withDashboard { dashboard, browser async throws in
            let feed = dashboard.site.folder("shop") + "/feed.json"
            let notes = #""notes": "\#(markup.replacing("\"", with: "\\\""))", "version": "1.1.0""#
            let text = try String(contentsOfFile: feed, encoding: .utf8)
            try text.replacing(#""version": "1.1.0""#, with: notes)
                .write(toFile: feed, atomically: true, encoding: .utf8)
            try await browser.navigate(to: dashboard.url)
            try await browser.wait(until: Self.isLive)
            try await dashboard.click("check", browser)
            try await dashboard.requestParts(["%3Cimg%20src=x%20onerror=document.title='run'%3E.js"])
            let report = #"{"message": "\#(markup.replacing("\"", with: "\\\""))"}"#
            let call = try await Curl.get(
                Bundlectl.own("shop", dashboard.address) + ".bundles/shop/bad",
                ["-X", "POST", "-H", "Content-Type: application/json", "-d", report]
            )
            #expect(call.status == 204)
            for place in ["body", "#misses", "#history"] {
                try await browser.wait(until: "document.querySelector('\(place)').textContent.includes('onerror=')")
            }
            try await browser.wait(
                until: "document.querySelector('#bundles').textContent.includes('1.1.0 is available')"
            )
            let made = "return document.querySelectorAll('img[src=x], script:not([src]), [onerror]').length"
            #expect(try await browser.execute(made).integer == 0)
            #expect(try await browser.execute("return document.title").string != "run")
            #expect(try await browser.consoleMessages().filter(\.isError) == [])
        }
    }

    @Test func `shows the state when the server has no stream to spare, and is live once it has`() async throws {
        try await withDashboard { dashboard, browser async throws in
            try await dashboard.occupyingStreams {
                try await browser.navigate(to: dashboard.url)
                try await browser.wait(
                    until: "document.querySelector('#connection').textContent.includes('Too many streams are open')"
                )
                #expect(try await dashboard.shown("h3", in: browser) == "shop 1.0.0")
                #expect(try await browser.execute("return document.querySelector('#board').checkVisibility()") == true)
            }
            try await browser.wait(until: Self.isLive)
        }
    }

    @Test func `can be used with the keyboard alone, and keeps the focus`() async throws {
        try await withDashboard { dashboard, browser async throws in
            try await dashboard.site.install("shop", "1.1.0")
            try await browser.navigate(to: dashboard.url)
            try await browser.wait(until: "document.querySelector('[data-action=rollback]')?.checkVisibility()")
            try await dashboard.focus("Roll shop back to 1.0.0", browser)
            try await browser.press(.enter)
            try await browser.wait(until: "document.querySelector('dialog').open")
            #expect(try await browser.execute("return document.activeElement.textContent").string == "Cancel")
            try await browser.press(.escape)
            try await browser.wait(until: "!document.querySelector('dialog').open")
            #expect(try await dashboard.focused(browser) == "Roll shop back to 1.0.0")
            try await browser.press(.enter)
            // A key that is pressed before the dialog is open is for the page behind it.
            try await browser.wait(until: "document.activeElement.textContent === 'Cancel'")
            try await browser.press(.tab)
            try await browser.wait(until: "document.activeElement.id === 'confirmation-yes'")
            try await browser.press(.enter)
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.0.0'")
            // There is nothing to roll back to now: the focus is at the bundle.
            try await browser.wait(until: "document.activeElement.classList.contains('bundle')")
            try await dashboard.focus("Activate shop 1.1.0", browser)
            try await browser.press(.enter)
            try await browser.wait(until: "document.querySelector('h3').textContent === 'shop 1.1.0'")
            #expect(try await browser.execute("return document.activeElement !== document.body") == true)
        }
    }

    @Test func `asks for the token when there is none, or it is another server's`() async throws {
        try await withDashboard { dashboard, browser async throws in
            try await browser.navigate(to: dashboard.origin + "/")
            try await browser.wait(until: "document.activeElement.id === 'token'")
            #expect(try await browser.accessibilityViolations() == [])
            func enter(_ text: String) async throws {
                let script =
                    "document.querySelector('#token').value = '\(text)'; document.querySelector('#entry button').click()"
                _ = try await browser.execute(script)
            }
            try await enter("wrong")
            try await browser.wait(until: "document.querySelector('#entry-problem').textContent.includes('token')")
            #expect(try await browser.execute("return document.querySelector('#board').checkVisibility()") == false)
            try await enter(dashboard.url)
            try await browser.wait(until: "document.querySelector('#board').checkVisibility()")
            _ = try await browser.execute("document.querySelector('#leave').click()")
            try await browser.wait(until: "document.querySelector('#entry').checkVisibility()")
            #expect(try await browser.execute("return sessionStorage.length").integer == 0)
        }
    }

    @Test func `a page of a bundle can neither read the dashboard nor act on it`() async throws {
        try await withDashboard { dashboard, browser async throws in
            try await browser.navigate(to: Bundlectl.own("shop", dashboard.address))
            let token = dashboard.url.split(separator: "=").last ?? ""
            let attempts = """
                const options = { method: "POST", headers: { "Content-Type": "application/json", Authorization: "Bearer \(token)" }, body: "{}" };
                const simple = { method: "POST", mode: "no-cors", body: "{}" };
                const results = [];
                for (const [path, given] of [["/api/state"], ["/api/bundles/shop/hold", options], ["/api/bundles/shop/hold", simple]]) {
                    results.push(await fetch("\(dashboard.origin)" + path, given).then(({ type }) => type, () => "refused"));
                }
                return results.join(" ");
                """
            #expect(try await browser.execute(attempts).string == "refused refused opaque")
            let entry = try #require(try await dashboard.site.bundlectl.json("list")["bundles"]?.array?.first)
            #expect(entry["isOnHold"] == false)
        }
    }

    @Test(arguments: [(320, false), (320, true), (1280, false), (1280, true)])
    func `fits the window in both schemes, and is accessible`(width: Int, isDark: Bool) async throws {
        try await withDashboard { dashboard, browser async throws in
            let site = dashboard.site
            for (name, version) in [
                ("news", "2025.11.24"), ("shop", "1.1.0"), ("docs", "3.0.0-beta.20251125.1+build.deadbeef"),
                ("an-application-with-a-very-long-name-that-goes-on-and-on-and-on", "1.0.0"),
            ] { try await site.install(name, version) }
            try await site.bundlectl.expect(0, "pin", "shop@1.0.0")
            try await site.bundlectl.expect(0, "hold", "docs")
            try await site.bundlectl.expect(0, "quota", "50MB")
            // A feed that isn't there, and files that aren't.
            _ = try await site.bundlectl("update", "news")
            try await dashboard.requestParts(
                [
                    "", "", "", "data.txt", "missing.js",
                    "images/a-very-long-name-of-a-picture-that-nobody-has-packed@2x.webp",
                ]
            )
            try await browser.emulate(width: width, height: 900, isDark: isDark)
            try await browser.navigate(to: dashboard.url)
            try await browser.wait(
                until: "document.querySelectorAll('.bundle').length === 5 && document.querySelector('#misses table')"
            )
            #expect(try await !browser.scrollsSideways())
            #expect(try await browser.accessibilityViolations() == [])
            let height = try await browser.execute("return document.documentElement.scrollHeight").integer ?? 900
            try await browser.emulate(width: width, height: height, isDark: isDark)
            try await browser.keepPicture(
                "dashboard-\(width)-\(isDark ? "dark" : "light")",
                in: "DASHBOARD_SCREENSHOTS"
            )
            try await browser.emulate(width: width, height: 900, isDark: isDark)
            _ = try await browser.execute("document.querySelector('[aria-label^=\"Roll shop\"]').click()")
            #expect(try await !browser.scrollsSideways())
            #expect(try await browser.accessibilityViolations() == [])
            try await browser.keepPicture(
                "dashboard-question-\(width)-\(isDark ? "dark" : "light")",
                in: "DASHBOARD_SCREENSHOTS"
            )
            #expect(try await browser.consoleMessages().filter(\.isError) == [])
        }
    }
}

/// A server with a dashboard, and a shop in its first version whose feed offers the next one.
private struct Dashboard {
    let site: FeedSite
    /// Where the server's bundles are.
    let address: String
    /// As it is printed, with the token.
    let url: String

    var origin: String { String(url.prefix { $0 != "#" }.dropLast()) }

    /// What the shop's page says.
    var page: String { get async throws { try await Curl.get(Bundlectl.own("shop", address)).text } }

    /// Installs a bundle whose origin doesn't respond, and asks for these parts of it.
    func requestParts(_ paths: [String]) async throws {
        let manifest = """
            {"name": "app", "version": "1.0.0", "origins": [{"url": "http://127.0.0.1:1/app/", "path": "/"}]}
            """
        let files = ["bundle.json": manifest, "index.html": "app", "data.txt": "data"]
        let folder = try site.directory.write(tree: files, to: "files/app")
        try await site.bundlectl.expect(0, "install", folder)
        for path in paths { _ = try await Curl.get(Bundlectl.own("app", address) + path) }
    }

    /// Calls `body` while this many streams are open: all that the server has.
    func occupyingStreams(_ count: Int = 16, _ body: () async throws -> Void) async throws {
        guard count > 0 else { return try await body() }
        let port = try #require(origin.split(separator: ":").last.flatMap { Int($0) })
        let token = url.split(separator: "=").last ?? ""
        try await withRawConnection(to: port) { connection async throws in
            try await connection.send(
                "GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n"
            )
            #expect(try await connection.head().status == 200)
            try await occupyingStreams(count - 1, body)
        }
    }

    /// Installs a version of the shop that has to be confirmed.
    func installTrial(_ version: String) async throws {
        let members = #""feed": "\#(site.feed("shop"))", "health": {"within": "1h"}"#
        try await site.bundlectl.expect(0, "install", site.archive("shop", version, members: members))
    }

    func shown(_ selector: String, in browser: Browser) async throws -> String? {
        try await browser.execute("return document.querySelector('\(selector)').textContent").string
    }

    /// Clicks the button of an action: of the shop, or of one of its versions.
    func click(_ action: String, _ browser: Browser, version: String? = nil) async throws {
        let place = version.map { "[data-key=\"\($0)\"]" } ?? ".head"
        let button = "document.querySelector('\(place) [data-action=\(action)]')"
        try await browser.wait(until: "\(button).checkVisibility() && \(button).ariaDisabled !== 'true'")
        _ = try await browser.execute("\(button).click()")
    }

    func confirm(_ browser: Browser) async throws {
        try await browser.wait(until: "document.querySelector('dialog').open")
        _ = try await browser.execute("document.querySelector('#confirmation-yes').click()")
    }

    /// Goes to the button with this name.
    func focus(_ name: String, _ browser: Browser) async throws {
        for _ in 0..<40 where try await focused(browser) != name { try await browser.press(.tab) }
        #expect(try await focused(browser) == name)
    }

    func focused(_ browser: Browser) async throws -> String? {
        try await browser.execute("return document.activeElement.ariaLabel ?? ''").string
    }
}

private func withDashboard(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Dashboard, Browser) async throws -> Void
) async throws {
    try await withFeedSite { site in
        try await site.install("shop", "1.0.0")
        try await site.publish("shop", "1.1.0")
        try await site.bundlectl.serving("--admin", "127.0.0.1:0") { address, server in
            let line = try await server.waitForLine(containing: "dashboard at ")
            let url = line.replacing("dashboard at ", with: "")
            try await withBrowser { browser in
                try await body(Dashboard(site: site, address: address, url: url), browser)
            }
        }
    }
}
