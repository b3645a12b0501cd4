import BundleTesting
import Testing

/// The endpoint's list of bundles in Chromium. `OVERVIEW_SCREENSHOTS` names a folder that keeps pictures, for people.
@Suite(
    "The overview in a browser",
    .enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests")
)
struct OverviewBrowserTests {
    @Test(arguments: [(320, false), (320, true), (1280, false), (1280, true)])
    func `fits the window in both schemes, and its links open the bundles`(width: Int, isDark: Bool) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await browser.emulate(width: width, height: 640, isDark: isDark)
                    try await browser.navigate(to: "\(address)/")
                    #expect(
                        try await browser.execute("return document.querySelector('h2').textContent").string
                            == "shop 1.0.0"
                    )
                    #expect(try await !browser.scrollsSideways())
                    #expect(try await browser.accessibilityViolations() == [])
                    let colour = try await browser.execute("return getComputedStyle(document.body).backgroundColor")
                        .string
                    #expect(colour == (isDark ? "rgb(22, 25, 29)" : "rgb(246, 247, 249)"))
                    try await browser.keepPicture(
                        "overview-\(width)-\(isDark ? "dark" : "light")",
                        in: "OVERVIEW_SCREENSHOTS"
                    )
                    #expect(try await browser.consoleMessages().filter(\.isError) == [])
                    _ = try await browser.execute("document.querySelector('a').focus(); document.activeElement.click()")
                    try await browser.wait(until: "location.hostname === 'shop.localhost'")
                }
            }
        }
    }
}
