import BundleNetwork
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("A metered link at run time", .timeLimit(.minutes(5)))
struct EndpointMeteringTests {
    private func withPictures(
        isMetered: Bool = false,
        _ body: (BundleStore, TestClock, RunningEndpoint, BundleStore) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.install(
                """
                {"name": "shop", "version": "1", "origins": [{"url": "https://m.example.com/shop/", "path": "/"}],
                 "network": {"rules": [{"match": {"suffix": ".png"}, "onlyIfMetered": true, "strategy": "block"}]}}
                """,
                ["index.html": "shop"]
            )
            let network = ScriptedTransport()
            network.response("https://m.example.com/shop/a.png", .ok, [.cacheControl: "no-store"], "picture")
            let (clock, other) = (TestClock(), try BundleStore(at: store.path))
            try await withEndpoint(
                store,
                transport: network,
                clock: clock,
                configure: { $0.ruleConditions.isMetered = isMetered }
            ) { endpoint in
                // The watcher, and what writes statistics.
                try await clock.waitForSleeps(2)
                try await body(other, clock, endpoint, store)
            }
        }
    }

    @Test("what another process says of it holds with the next check, in place of how the endpoint was started")
    func changed() async throws {
        try await withPictures { other, clock, endpoint, _ in
            let path = "/shop/a.png"
            #expect(try await endpoint.get(path).status == 200)
            for (setting, status) in [(true, 403), (false, 200), (true, 403), (nil, 200)] as [(Bool?, Int)] {
                try other.setMetered(setting)
                try await clock.step(by: StoreChangeService.interval)
                #expect(try await endpoint.get(path).status == status)
            }
        }
    }

    @Test("what was said before the start holds, and taking it back leads to the option")
    func started() async throws {
        try await withPictures(isMetered: true) { other, clock, endpoint, _ in
            #expect(try await endpoint.get("/shop/a.png").status == 403)
            try other.setMetered(false)
            try await clock.step(by: StoreChangeService.interval)
            #expect(try await endpoint.get("/shop/a.png").status == 200)
            try other.setMetered(nil)
            try await clock.step(by: StoreChangeService.interval)
            #expect(try await endpoint.get("/shop/a.png").status == 403)
        }
    }
}
