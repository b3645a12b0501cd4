import BundleStore
import BundleTesting
import Foundation
import Testing

/// Two releases of an app in Chromium: what an open page gets, and how a release that doesn't work is taken back.
@Suite(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
struct ReleaseBrowserTests {
    @Test func `an open page keeps its release, is notified of the next one, and gets it with the next load`()
        async throws
    {
        try await withReleases { releases in
            try await releases.install("1.0.0", script: Self.working)
            try await releases.bundlectl.serving { address, _ in
                let url = Bundlectl.own("app", address)
                try await withBrowser { browser in
                    try await browser.navigate(to: url)
                    try await browser.wait(until: "document.body.dataset.ready === '1.0.0'")
                    try await releases.install("1.1.0", script: Self.working)
                    try await browser.wait(until: "document.body.dataset.offered === '1.1.0'")
                    _ = try await browser.execute(
                        "import('/lazy.js').then((part) => document.body.dataset.lazy = part.version)"
                    )
                    try await browser.wait(until: "document.body.dataset.lazy !== undefined")
                    #expect(try await browser.execute("return document.body.dataset.lazy").string == "1.0.0")
                    try await browser.navigate(to: url)
                    try await browser.wait(until: "document.body.dataset.ready === '1.1.0'")
                }
            }
        }
    }

    @Test func `the sample shop offers to reload when another release is active, and a click does that`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: Bundlectl.own("shop", address))
                    try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
                    #expect(try await browser.execute(Self.offer) == .bool(false))
                    try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
                    try await browser.wait(until: "document.querySelector('[data-reload]').checkVisibility()")
                    let version = "document.querySelector('[data-version]').textContent"
                    #expect(try await browser.execute("return \(version)").string == "1.0.0")
                    _ = try await browser.execute("document.querySelector('[data-reload]').click()")
                    try await browser.wait(until: "\(version) === '1.1.0'")
                    try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
                    #expect(try await browser.execute(Self.offer) == .bool(false))
                    #expect(try await browser.consoleMessages().filter(\.isError) == [])
                }
            }
        }
    }

    @Test(arguments: ["now", "next-start"])
    func `a click in the sample shop has the endpoint install what is available, and activate it`(
        activate: String
    ) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.serving("--activate", activate) { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: Bundlectl.own("shop", address))
                    try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
                    #expect(try await browser.execute(Self.offer) == .bool(false))
                    _ = try await bundlectl("check")
                    try await browser.wait(until: "document.querySelector('[data-reload]').checkVisibility()")
                    _ = try await browser.execute("document.querySelector('[data-reload]').click()")
                    try await browser.wait(until: "document.querySelector('[data-version]').textContent === '1.1.0'")
                    try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
                    #expect(try await browser.consoleMessages().filter(\.isError) == [])
                }
            }
        }
    }

    /// Without an endpoint, as in an app, nothing says that there are calls.
    @Test func `the sample shop is quiet where no endpoint serves it`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let site = publisher.site + "/shop"
            try await bundlectl.expect(0, "export", "shop", publisher.directory.path(of: "plain"))
            try FileManager.default.copyItem(atPath: site + "/api", toPath: publisher.directory.path(of: "plain/api"))
            try FileManager.default.removeItem(atPath: site)
            try FileManager.default.moveItem(atPath: publisher.directory.path(of: "plain"), toPath: site)
            try await withBrowser { browser in
                try await browser.navigate(to: publisher.origin + "/shop/index.html")
                try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
                #expect(try await browser.execute(Self.offer) == .bool(false))
                #expect(try await browser.networkEvents().allSatisfy { !$0.isFailure })
                #expect(try await browser.consoleMessages().filter(\.isError) == [])
            }
            #expect(!publisher.requestedPaths.contains { $0.contains(".bundles") })
        }
    }

    private static let offer = "return document.querySelector('[data-reload]').checkVisibility()"

    @Test func `a page that works confirms its release`() async throws {
        try await withReleases { releases in
            try await releases.install("1.0.0", script: Self.working)
            try await releases.install("1.1.0", script: Self.working, health: #"{"within": "1h"}"#)
            try await releases.bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: Bundlectl.own("app", address))
                    try await browser.wait(until: "document.body.dataset.confirmed === '204'")
                }
            }
            #expect(try await !releases.bundlectl("list").output.contains("to be confirmed"))
            #expect(try await releases.bundlectl("history").output.contains("confirmed"))
        }
    }

    @Test func `a page below a path, whose calls are at the host's root, confirms its release too`() async throws {
        try await withReleases { releases in
            try await releases.install("1.0.0", script: Self.working)
            try await releases.install("1.1.0", script: Self.working, health: #"{"within": "1h"}"#)
            try await releases.bundlectl.serving("--mount", "app=/products/app") { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: address + "/products/app/")
                    try await browser.wait(until: "document.body.dataset.confirmed === '204'")
                }
            }
            #expect(try await releases.bundlectl("history").output.contains("confirmed"))
        }
    }

    @Test func `a release whose script throws at its start is taken back, and the next load works`() async throws {
        try await withReleases { releases in
            try await releases.install("1.0.0", script: Self.working)
            try await releases.install("1.1.0", script: "throw new Error('broken');\n", health: #"{"within": "2s"}"#)
            try await releases.bundlectl.serving { address, server in
                let url = Bundlectl.own("app", address)
                try await withBrowser { browser in
                    try await browser.navigate(to: url)
                    try await server.waitForErrorOutput(containing: "app 1.1.0 was marked bad")
                    #expect(try await browser.execute("return document.body.dataset.ready ?? 'none'").string == "none")
                    try await server.waitForErrorOutput(containing: "the store has changed")
                    try await releases.waitUntilServed("1.0.0", at: url)
                    try await browser.navigate(to: url)
                    try await browser.wait(until: "document.body.dataset.ready === '1.0.0'")
                }
            }
            #expect(try await releases.bundlectl("list").output.contains("held back up to 1.1.0"))
        }
    }

    @Test func `the time of a release begins when its page is shown, not when another bundle prefetches or frames it`()
        async throws
    {
        try await withReleases { releases in
            try await releases.install("1.0.0", script: Self.working)
            try await releases.install(
                "1.1.0",
                script: "document.body.dataset.ran = true;",
                health: #"{"within": "1h"}"#
            )
            let log = releases.bundlectl.store + "-access.log"
            try await releases.bundlectl.serving("--access-log", log, "--access-log-format", "json") { address, _ in
                let url = Bundlectl.own("app", address)
                func requestCount(_ path: String) throws -> Int {
                    try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                        .count { $0.contains(#""target":"\#(path)""#) && $0.contains(#""bundle":"app""#) }
                }
                try await releases.installNeighbour(of: url)
                try await withBrowser { browser in
                    try await browser.navigate(to: Bundlectl.own("neighbour", address))
                    // The speculation, and the frame with its script.
                    try await eventually("the requests", every: .milliseconds(50)) {
                        try requestCount("/") >= 2 && requestCount("/app.js") >= 1
                    }
                    try await browser.navigate(to: url + "icon.svg")
                    try await browser.navigate(to: "about:blank")
                    #expect(try releases.loadedAt() == nil)
                    try await browser.navigate(to: url)
                    try await browser.wait(until: "document.body.dataset.ran === 'true'")
                    try await eventually("the load", every: .milliseconds(50)) { try releases.loadedAt() != nil }
                }
            }
        }
    }

    /// Says that it works, confirms that, and offers what becomes active later.
    private static let working = """
        document.body.dataset.ready = "VERSION";
        const [{ serverTiming }] = performance.getEntriesByType("navigation");
        const version = serverTiming.find(({ name }) => name === "bundle").description.split("@")[1];
        const state = await (await fetch(`/.bundles/app?page=${version}`)).json();
        if (state.nonce) {
          const response = await fetch("/.bundles/app/good", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ nonce: state.nonce }),
          });
          document.body.dataset.confirmed = response.status;
        }
        new EventSource("/.bundles/app/events").onmessage = ({ data }) => {
          const { active } = JSON.parse(data);
          if (active !== state.page) document.body.dataset.offered = active;
        };

        """
}

/// Releases of an app with a page, a script and a part that it imports late.
private struct Releases {
    let folder: TemporaryDirectory
    let bundlectl: Bundlectl

    func install(_ version: String, script: String, health: String? = nil) async throws {
        let terms = health.map { #", "health": \#($0)"# } ?? ""
        let release = "release-\(version)"
        try folder.write(
            #"{"name": "app", "version": "\#(version)", "origins": []\#(terms)}"#,
            to: "\(release)/bundle.json"
        )
        let page = """
            <!doctype html><title>\(version)</title><link rel="icon" href="data:,">
            <body><script type="module" src="app.js"></script>
            """
        try folder.write(page, to: "\(release)/index.html")
        try folder.write(script.replacing("VERSION", with: version), to: "\(release)/app.js")
        try folder.write("<svg xmlns='http://www.w3.org/2000/svg'/>", to: "\(release)/icon.svg")
        try folder.write("export const version = '\(version)';\n", to: "\(release)/lazy.js")
        let archive = folder.path(of: "\(release).zip")
        try await bundlectl.expect(0, "pack", folder.path(of: release), archive)
        try await bundlectl.expect(0, "install", archive)
    }

    /// Installs another bundle whose page prefetches the page at `url`, and shows it in a frame.
    func installNeighbour(of url: String) async throws {
        try folder.write(#"{"name": "neighbour", "version": "1.0.0", "origins": []}"#, to: "neighbour/bundle.json")
        let page = """
            <!doctype html><title>Neighbour</title><link rel="icon" href="data:,">
            <script type="speculationrules">
            {"prefetch": [{"urls": ["\(url)"], "eagerness": "immediate"}]}
            </script>
            <body><iframe src="\(url)"></iframe>
            """
        try folder.write(page, to: "neighbour/index.html")
        try await bundlectl.expect(0, "pack", folder.path(of: "neighbour"), folder.path(of: "neighbour.zip"))
        try await bundlectl.expect(0, "install", folder.path(of: "neighbour.zip"))
    }

    /// When a page of the active release was shown first.
    func loadedAt() throws -> Date? {
        let bundles = try BundleStore(at: bundlectl.store).snapshot.bundles
        return bundles.first { $0.key.string == "app" }?.value.lifecycle.probation?.loadedAt
    }

    func waitUntilServed(_ version: String, at url: String) async throws {
        for _ in 0..<300 where try await Curl.get(url).text.contains("<title>\(version)</title>") { return }
        Issue.record("\(version) isn't served")
    }
}

private func withReleases(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Releases) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        try await body(Releases(folder: folder, bundlectl: Bundlectl(store: folder.path(of: "store"))))
    }
}
