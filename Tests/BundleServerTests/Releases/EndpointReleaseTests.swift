import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServer

/// A shop whose 1.1.0 has to be confirmed within 30 s or two starts, on an endpoint with a clock of the test's.
@Suite("Releases on an endpoint")
struct EndpointReleaseTests {
    private static let host = "shop.localhost"
    private static let document = ["Sec-Fetch-Dest: document", "Accept: text/html"]
    /// The fields of a request that a page of 1.1.0 makes.
    private static let part = [
        "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script",
        "Cookie: offline-bundles.shop=1.1.0",
    ]

    @Test("one that nobody confirms is taken back when its time is up, counted from the first request of its page")
    func late() async throws {
        try await withShop { endpoint, store, clock async throws in
            try await clock.step(by: .seconds(60))
            #expect(try active(store) == "1.1.0", "nobody has seen a page of it")
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.1.0")
            try await clock.step(by: .seconds(60))
            #expect(try active(store) == "1.1.0", "nobody has opened it: it may have been prefetched")
            #expect(try await endpoint.get("/app.js", host: Self.host, Self.part).text == "script of 1.1.0")
            try await waitForLoad(store)
            try await clock.step(by: .seconds(29))
            #expect(try active(store) == "1.1.0")
            try await clock.step(by: .seconds(2))
            try await clock.step(by: StoreChangeService.interval)
            #expect(try active(store) == "1.0.0")
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.0.0")
        }
    }

    private static let cookie = "Cookie: offline-bundles.shop=1.1.0"

    @Test(
        "only a request of its page begins its time",
        arguments: [
            ("/", [], false), ("/", document, false), ("/", document + [cookie], false),
            ("/", document + [cookie, "Sec-Fetch-Site: same-origin"], false),
            ("/app.js", document + [cookie], false),
            ("/app.js", document + [cookie, "Sec-Fetch-Mode: navigate"], false),
            ("/", ["Accept: text/html"], false), ("/", ["Accept: text/html", cookie], false),
            (
                "/", ["Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate", cookie, "Sec-Fetch-Site: same-origin"],
                false
            ),
            // Browsers withhold the cookie from frames of other sites.
            ("/app.js", ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: script"], false),
            ("/app.js", ["Sec-Fetch-Site: same-origin", "Cookie: offline-bundles.shop=1.0.0"], false),
            ("/app.js", ["Sec-Fetch-Site: same-origin", "Cookie: offline-bundles.news=1.1.0"], false),
            ("/app.js", [cookie, "Sec-Fetch-Site: cross-site"], false),
            ("/app.js", [cookie, "Sec-Fetch-Site: same-site"], false),
            ("/app.js", [cookie, "Sec-Fetch-Site: none"], false),
            ("/app.js", part + ["Sec-Purpose: prefetch"], false),
            ("/app.js", part + ["Sec-Purpose: prefetch;prerender"], false),
            ("/app.js", part + ["Purpose: prefetch"], false),
            ("/app.js", part + ["Service-Worker: script"], false),
            ("/app.js", [cookie], false), ("/app.js", [cookie, "Referer: http://news.localhost/"], false),
            ("/app.js", [cookie, "Referer: x"], false), ("/app.js", [cookie, "Origin: http://news.localhost"], false),
            ("/app.js", [cookie, "Origin: null", "Referer: http://\(host)/"], false),
            ("/.bundles/shop?page=1.0.0", part, false),

            ("/app.js", part, true), ("/app.js?again", part, true), ("/app.js", part + ["If-None-Match: \"a\""], true),
            ("/app.js", [cookie, "Sec-Fetch-Site: same-origin"], true),
            // By browsers that send no Sec-Fetch-Site, as over plain HTTP on other hosts than localhost.
            ("/app.js", [cookie, "Referer: http://\(host)/"], true),
            ("/app.js", [cookie, "Origin: http://\(host)"], true),
            ("/not-there.json", part, true), ("/.bundles/shop", part, true), ("/.bundles/shop?page=1.1.0", part, true),
        ] as [(String, [String], Bool)]
    )
    func begins(_ path: String, _ fields: [String], _ begins: Bool) async throws {
        try await withShop { endpoint, store, clock async throws in
            // What other clients were sent isn't sent again without a look.
            for _ in 1...2 { _ = try await endpoint.get("/app.js", host: Self.host, [Self.cookie]) }
            _ = try await endpoint.get(path, host: Self.host, fields)
            if begins { try await waitForLoad(store) }
            // One that was recorded between the steps would show after the second.
            for _ in 1...2 { try await clock.step(by: .seconds(3_600)) }
            try await clock.step(by: StoreChangeService.interval)
            #expect(try active(store) == (begins ? "1.0.0" : "1.1.0"))
        }
    }

    @Test(
        "a page that is opened at once after an activation begins its time, before the server has looked at the store"
    )
    func prompt() async throws {
        try await withShop(installing: ["1.0.0"]) { endpoint, store, _ async throws in
            try BundleStore(at: store.path).installShop("1.1.0", isOnProbation: true)
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.1.0")
            #expect(try await endpoint.get("/app.js", host: Self.host, Self.part).text == "script of 1.1.0")
            try await waitForLoad(store)
        }
    }

    @Test(
        "its page isn't fetched ahead for a browser that has a page of an earlier release, whose requests would look like its own",
        arguments: ["Sec-Purpose: prefetch", "Sec-Purpose: prefetch;prerender", "Purpose: prefetch"]
    )
    func ahead(_ field: String) async throws {
        try await withShop { endpoint, store, _ async throws in
            let news = #"{"name": "news", "version": "1.1.0", "origins": []}"#
            try store.install(news, ["index.html": Array("news".utf8)])
            let earlier = Self.document + ["Cookie: offline-bundles.shop=1.0.0"]
            for _ in 1...2 {
                #expect(try await endpoint.get("/", host: Self.host, earlier).text == "page of 1.1.0")
                let ahead = try await endpoint.get("/", host: Self.host, earlier + [field])
                #expect(ahead.status == 503 && ahead["Set-Cookie"] == nil)
            }
            #expect(try await endpoint.get("/", host: Self.host, Self.document + [field]).status == 200)
            // Pages of another bundle, whose cookie changes too, lose nothing by the trial.
            let cookies = ["Cookie: offline-bundles.news=1.0.0; offline-bundles.shop=1.0.0", field]
            #expect(try await endpoint.get("/", host: "news.localhost", Self.document + cookies).status == 200)
        }
    }

    @Test("without version cookies any request of a page of its bundle begins its time")
    func withoutCookies() async throws {
        try await withShop(configure: { $0.setsVersionCookies = false }) { endpoint, store, clock async throws in
            _ = try await endpoint.get("/", host: Self.host, Self.document)
            _ = try await endpoint.get("/.bundles/shop", host: "news.localhost", ["Sec-Fetch-Site: same-origin"])
            for _ in 1...2 { try await clock.step(by: .seconds(3_600)) }
            #expect(try active(store) == "1.1.0")
            _ = try await endpoint.get("/app.js", host: Self.host, ["Sec-Fetch-Site: same-origin"])
            try await waitForLoad(store)
        }
    }

    @Test("one that was started as often as it may is taken back before anything is served")
    func starts() async throws {
        try await withShop(runs: 3) { run, endpoint, store, _ async throws in
            #expect(try active(store) == (run < 3 ? "1.1.0" : "1.0.0"))
            let version = run < 3 ? "1.1.0" : "1.0.0"
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of \(version)")
            guard run < 3 else { return }
            _ = try await endpoint.get("/app.js", host: Self.host, Self.part)
            try await eventually { startCount(store) == run }
        }
    }

    @Test("a start after which nobody opens a page of it doesn't count")
    func unusedStarts() async throws {
        try await withShop(runs: 4) { _, endpoint, store, _ async throws in
            #expect(try await endpoint.get("/app.js", host: Self.host).status == 200)
            #expect(try active(store) == "1.1.0")
            #expect(startCount(store) == 0)
        }
    }

    @Test("a page whose request couldn't be recorded isn't the first")
    func unrecordedLoad() async throws {
        try await withTemporaryDirectory { folder in
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            for version in ["1.0.0", "1.1.0"] { try store.installShop(version, isOnProbation: version == "1.1.0") }
            let loads = PageLoads(store, LiveResolver(store), hasVersionCookies: true)
            let fields: HTTPFields = [.secFetchSite: "same-origin", .cookie: "offline-bundles.shop=1.1.0"]
            let request = HTTPRequest(
                method: .get,
                scheme: nil,
                authority: Self.host,
                path: "/app.js",
                headerFields: fields
            )
            let name = BundleName("shop")
            #expect(loads.role(of: request) == .part(of: name))
            try FileManager.default.moveItem(atPath: store.path, toPath: folder.path(of: "away"))
            loads.note(request, of: name)
            try FileManager.default.moveItem(atPath: folder.path(of: "away"), toPath: store.path)
            try await eventually {
                if loads.role(of: request) == .part(of: name) { loads.note(request, of: name) }
                return startCount(store) == 1
            }
        }
    }

    @Test("one that was left and is revoked gives open pages nothing any more, nor one before a critical release")
    func revoked() async throws {
        for reason in [Withdrawal.Reason.revoked, .critical] {
            try await withShop(installing: ["1.0.0", "1.2.0"]) { endpoint, store, clock async throws in
                let cookie = ["Cookie: offline-bundles.shop=1.0.0"]
                #expect(try await endpoint.get("/app.js", host: Self.host, cookie).text == "script of 1.0.0")
                #expect(try await endpoint.get("/only-1.0.0.js", host: Self.host, cookie).status == 200)
                let shop = BundleName("shop")
                let version = BundleVersion("1.0.0")
                let successor = reason == .critical ? BundleVersion("1.2.0") : nil
                let withdrawal = Withdrawal(of: version, reason, successor: successor, since: store.now())
                try BundleStore(at: store.path).setWithdrawals([withdrawal], of: shop)
                try await clock.step(by: StoreChangeService.interval)
                #expect(try await endpoint.get("/app.js", host: Self.host, cookie).text == "script of 1.2.0")
                for fields in [cookie, []] {
                    #expect(try await endpoint.get("/only-1.0.0.js", host: Self.host, fields).status == 404)
                }
            }
        }
    }

    @Test("one that waits for idleness becomes active when nobody has asked for a while")
    func idle() async throws {
        try await withShop(installing: ["1.0.0"]) { endpoint, store, clock async throws in
            let other = try BundleStore(at: store.path)
            try other.installShop("1.1.0", isOnProbation: false, activating: false)
            try other.setPending(BundleName("shop"), BundleVersion("1.1.0"), .whenIdle)
            try await clock.step(by: StoreChangeService.interval)
            try await clock.step(by: .seconds(299))
            #expect(try active(store) == "1.0.0")
            _ = try await endpoint.get("/app.js", host: Self.host)
            try await clock.step(by: .seconds(2))
            #expect(try active(store) == "1.0.0", "somebody has asked")
            try await clock.step(by: .seconds(300))
            try await clock.step(by: StoreChangeService.interval)
            #expect(try active(store) == "1.1.0")
        }
    }

    @Test("an open page that asks about its bundle keeps it from being idle, and a stream that is opened again doesn't")
    func calls() async throws {
        try await withShop(installing: ["1.0.0"]) { endpoint, store, clock async throws in
            let other = try BundleStore(at: store.path)
            try other.installShop("1.1.0", isOnProbation: false, activating: false)
            try other.setPending(BundleName("shop"), BundleVersion("1.1.0"), .whenIdle)
            try await clock.step(by: StoreChangeService.interval)
            try await clock.step(by: .seconds(299))
            #expect(try await endpoint.get("/.bundles/shop", host: Self.host).status == 200)
            try await clock.step(by: .seconds(2))
            #expect(try active(store) == "1.0.0", "a page has asked")
            try await clock.step(by: .seconds(298))
            try await withRawConnection(to: endpoint.port) { connection async throws in
                let fields = "Host: \(Self.host)\r\nLast-Event-ID: 1"
                try await connection.send("GET /.bundles/shop/events HTTP/1.1\r\n\(fields)\r\n\r\n")
                #expect(try await connection.head().status == 200)
            }
            try await clock.step(by: .seconds(2))
            try await clock.step(by: StoreChangeService.interval)
            #expect(try active(store) == "1.1.0")
        }
    }

    @Test("one that waits for the next start becomes active then", arguments: [ActivationMode.nextStart, .whenIdle])
    func nextStart(_ mode: ActivationMode) async throws {
        try await withShop(installing: ["1.0.0"], runs: 2) { run, endpoint, store, clock async throws in
            if run == 2 {
                #expect(try active(store) == "1.1.0")
                #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.1.0")
                return
            }
            try store.installShop("1.1.0", isOnProbation: false, activating: false)
            try store.setPending(BundleName("shop"), BundleVersion("1.1.0"), mode)
            try await clock.step(by: StoreChangeService.interval)
            #expect(try active(store) == "1.0.0")
        }
    }

    @Test("pages keep an earlier one for their lifetime, and no longer")
    func pageLifetime() async throws {
        try await withShop(installing: ["1.0.0"], configure: { $0.pageLifetime = .seconds(60) }) {
            endpoint,
            store,
            clock in
            let cookie = ["Cookie: offline-bundles.shop=1.0.0"]
            try store.installShop("1.2.0", isOnProbation: false)
            try await clock.step(by: StoreChangeService.interval)
            #expect(try await endpoint.get("/app.js", host: Self.host, cookie).text == "script of 1.0.0")
            #expect(try await endpoint.get("/only-1.0.0.js", host: Self.host).status == 200)
            try await clock.step(by: .seconds(60))
            try await clock.step(by: StoreChangeService.interval)
            #expect(try await endpoint.get("/app.js", host: Self.host, cookie).text == "script of 1.2.0")
            #expect(try await endpoint.get("/only-1.0.0.js", host: Self.host).status == 404)
        }
    }

    @Test("a withdrawn one is used for nothing, until another is active")
    func withdrawn() async throws {
        try await withShop(installing: ["1.0.0"]) { endpoint, store, clock async throws in
            let shop = BundleName("shop")
            let version = BundleVersion("1.0.0")
            try store.setWithdrawals([Withdrawal(of: version, .revoked, since: store.now())], of: shop)
            try await clock.step(by: StoreChangeService.interval)
            #expect(try await endpoint.get("/app.js", host: Self.host).status == 504)
            let page = try await endpoint.get("/", host: Self.host, Self.document)
            #expect((page.status, page.text) == (504, "offline 1.0.0"))
            try store.installShop("1.2.0", isOnProbation: false)
            try await clock.step(by: StoreChangeService.interval)
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.2.0")
        }
    }

    @Test("a script that the entry page lacks is reported, once; others aren't")
    func missing() async throws {
        try await withShop { endpoint, store, _ async throws in
            let page = "Referer: http://\(Self.host):\(endpoint.port)/"
            let host = "\(Self.host):\(endpoint.port)"
            for _ in 1...2 { _ = try await endpoint.get("/gone.js", host: host, ["Sec-Fetch-Dest: script", page]) }
            _ = try await endpoint.get("/gone.png", host: host, ["Sec-Fetch-Dest: image", page])
            _ = try await endpoint.get("/other.js", host: host, ["Sec-Fetch-Dest: script", page + "app.js"])
            _ = try await endpoint.get(
                "/third.js",
                host: host,
                ["Sec-Fetch-Dest: script", "Referer: http://elsewhere.example/"]
            )
            _ = try await endpoint.get("/gone.css", host: host, ["Sec-Fetch-Dest: style", page])
            let reports = try await reports(store, count: 2)
            #expect(Set(reports) == ["missing: /gone.js (404)", "missing: /gone.css (404)"])
        }
    }

    /// In how many runs a page was loaded.
    private func startCount(_ store: BundleStore) -> Int? {
        _ = try? store.refresh()
        return store.snapshot.bundles.values.first?.lifecycle.probation?.startCount
    }

    private func active(_ store: BundleStore) throws -> String? {
        try store.refresh()
        return store.snapshot.bundles.values.first?.activeVersion?.string
    }

    /// The load is recorded behind the response.
    private func waitForLoad(_ store: BundleStore) async throws {
        try await eventually {
            _ = try? store.refresh()
            return store.snapshot.bundles.values.first?.lifecycle.probation?.loadedAt != nil
        }
    }

    private func reports(_ store: BundleStore, count: Int) async throws -> [String] {
        var details: [String] = []
        try await eventually {
            details = (try? store.history().filter { $0.kind == .reported }.compactMap(\.detail)) ?? []
            return details.count >= count
        }
        return details
    }
}

extension BundleStore {
    fileprivate func installShop(_ version: String, isOnProbation: Bool, activating: Bool = true) throws {
        let health = isOnProbation ? #", "health": {"within": "30s", "starts": 2}"# : ""
        let manifest = """
            {"name": "shop", "version": "\(version)", "origins": [], "offlinePage": "offline.html"\(health)}
            """
        let files = [
            "index.html": "page of \(version)", "app.js": "script of \(version)", "only-\(version).js": version,
            "offline.html": "offline \(version)",
        ]
        try install(manifest, files.mapValues { Array($0.utf8) }, activating: activating)
    }
}

private func withShop(
    installing versions: [String] = ["1.0.0", "1.1.0"],
    configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
    _ body: (RunningEndpoint, BundleStore, TestClock) async throws -> Void
) async throws {
    try await withShop(installing: versions, runs: 1, configure: configure) { try await body($1, $2, $3) }
}

/// Runs endpoints one after the other on one store.
private func withShop(
    installing versions: [String] = ["1.0.0", "1.1.0"],
    runs: Int,
    configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
    _ body: (_ run: Int, RunningEndpoint, BundleStore, TestClock) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        let clock = TestClock()
        let path = folder.path(of: "store")
        let store = try BundleStore(at: path, creating: true, now: clock.read)
        for version in versions { try store.installShop(version, isOnProbation: version == "1.1.0") }
        for run in 1...runs {
            let store = try BundleStore(at: path, now: clock.read, clock: clock)
            let sleepCount = clock.sleepCount
            try await withEndpoint(store, clock: clock, now: clock.read, configure: configure) { endpoint in
                // The watcher, and what writes statistics.
                try await clock.waitForSleeps(sleepCount + 2)
                try await body(run, endpoint, store, clock)
            }
        }
    }
}
