import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleServer

/// A shop whose 1.1.0 has to be confirmed within 30 s or two starts, on an endpoint with a clock of the test's.
@Suite("Releases on an endpoint")
struct EndpointReleaseTests {
    private static let host = "shop.localhost"
    private static let document = ["Sec-Fetch-Dest: document", "Accept: text/html"]

    @Test("one that nobody confirms is taken back when its time is up, counted from its first page")
    func late() async throws {
        try await withShop { endpoint, store, clock async throws in
            try await clock.step(by: .seconds(60))
            #expect(try active(store) == "1.1.0", "nobody has seen a page of it")
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.1.0")
            try await waitForLoad(store)
            try await clock.step(by: .seconds(29))
            #expect(try active(store) == "1.1.0")
            try await clock.step(by: .seconds(2))
            try await clock.step(by: StoreWatcher.interval)
            #expect(try active(store) == "1.0.0")
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.0.0")
        }
    }

    @Test(
        "what isn't a page doesn't begin its time",
        arguments: [["Sec-Fetch-Dest: script"], ["Sec-Fetch-Dest: iframe"], []]
    )
    func parts(_ fields: [String]) async throws {
        try await withShop { endpoint, store, clock async throws in
            _ = try await endpoint.get("/app.js", host: Self.host, fields)
            try await clock.step(by: .seconds(3_600))
            try await clock.step(by: StoreWatcher.interval)
            #expect(try active(store) == "1.1.0")
        }
    }

    @Test("one that was started as often as it may is taken back before anything is served")
    func starts() async throws {
        try await withShop(runs: 3) { run, endpoint, store, _ async throws in
            #expect(try active(store) == (run < 3 ? "1.1.0" : "1.0.0"))
            guard run == 3 else { return }
            #expect(try await endpoint.get("/", host: Self.host, Self.document).text == "page of 1.0.0")
        }
    }

    @Test("one that waits for idleness becomes active when nobody has asked for a while")
    func idle() async throws {
        try await withShop(installing: ["1.0.0"]) { endpoint, store, clock async throws in
            let other = try BundleStore(at: store.path)
            try other.installShop("1.1.0", isOnProbation: false, activating: false)
            try other.setPending(try #require(BundleName("shop")), try #require(BundleVersion("1.1.0")), .whenIdle)
            try await clock.step(by: StoreWatcher.interval)
            try await clock.step(by: .seconds(299))
            #expect(try active(store) == "1.0.0")
            _ = try await endpoint.get("/app.js", host: Self.host)
            try await clock.step(by: .seconds(2))
            #expect(try active(store) == "1.0.0", "somebody has asked")
            try await clock.step(by: .seconds(300))
            try await clock.step(by: StoreWatcher.interval)
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
            try store.setPending(try #require(BundleName("shop")), try #require(BundleVersion("1.1.0")), mode)
            try await clock.step(by: StoreWatcher.interval)
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
            try await clock.step(by: StoreWatcher.interval)
            #expect(try await endpoint.get("/app.js", host: Self.host, cookie).text == "script of 1.0.0")
            #expect(try await endpoint.get("/only-1.0.0.js", host: Self.host).status == 200)
            try await clock.step(by: .seconds(60))
            try await clock.step(by: StoreWatcher.interval)
            #expect(try await endpoint.get("/app.js", host: Self.host, cookie).text == "script of 1.2.0")
            #expect(try await endpoint.get("/only-1.0.0.js", host: Self.host).status == 404)
        }
    }

    @Test("a withdrawn one is used for nothing, until another is active")
    func withdrawn() async throws {
        try await withShop(installing: ["1.0.0"]) { endpoint, store, clock async throws in
            let shop = try #require(BundleName("shop"))
            let version = try #require(BundleVersion("1.0.0"))
            try store.setWithdrawal(Withdrawal(of: version, .revoked, since: store.now()), of: shop)
            try await clock.step(by: StoreWatcher.interval)
            #expect(try await endpoint.get("/app.js", host: Self.host).status == 504)
            let page = try await endpoint.get("/", host: Self.host, Self.document)
            #expect((page.status, page.text) == (504, "offline 1.0.0"))
            try store.installShop("1.2.0", isOnProbation: false)
            try await clock.step(by: StoreWatcher.interval)
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

/// Returns when a condition holds that another thread brings about; records an issue when it doesn't.
private func eventually(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it isn't done behind the response")
            return
        }
        await Task.yield()
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
            let store = try BundleStore(at: path, now: clock.read)
            try await withEndpoint(store, clock: clock, now: clock.read, configure: configure) { endpoint in
                try await body(run, endpoint, store, clock)
            }
        }
    }
}
