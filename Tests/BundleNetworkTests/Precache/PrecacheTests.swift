import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Fetching ahead", .timeLimit(.minutes(5)))
struct PrecacheTests {
    @Test("stores what the manifest names, by the same rules as for clients, so that it is there without a network")
    func stored() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a", "b?q=1", "index.html"], in: directory)
            fixture.publish("a", "A")
            fixture.publish("b?q=1", "B")
            let report = try #require(await fixture.run())
            #expect(report.storedCount == 3)
            #expect(report.fetchedCount == 2)
            #expect(report.missing.isEmpty)
            #expect(fixture.requested == ["/shop/a", "/shop/b?q=1"])
            fixture.network.isDown = true
            let app = LayeredResponder(fixture.store, transport: nil)
            let response = try await app.load(PrecacheFixture.origin + "b?q=1")
            #expect(try await response.bytes() == Array("B".utf8))
            #expect(await fixture.run()?.fetchedCount == 0)
            #expect(fixture.network.requests.count == 2)
        }
    }

    @Test("without a network changes nothing, and is repeated after pauses that double, up to an hour")
    func offline() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a", "b"], in: directory)
            fixture.network.isDown = true
            var report = await fixture.run()
            #expect(report?.storedCount == 0)
            #expect(report?.missing.first?.failure?.contains("no server responds") == true)
            #expect(report?.missing.first?.nextTry == fixture.clock.date + 30)
            fixture.network.isDown = false
            for path in ["a", "b"] { fixture.publish(path) }
            report = await fixture.run()
            #expect(report?.storedCount == 0)
            #expect(fixture.network.requests.isEmpty)
            fixture.clock.advance(by: .seconds(30))
            report = await fixture.run()
            #expect(report?.storedCount == 2)
        }
    }

    @Test("goes on where an earlier process has stopped")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let clock = TestClock()
            let first = try PrecacheFixture(["a", "b"], in: directory, clock: clock)
            first.publish("a")
            // An origin that doesn't respond at all wouldn't be asked for the other one, if this one's turn came first.
            first.publish("b", "", status: .notFound)
            _ = await first.run()
            let later = try BundleStore(at: first.store.path, now: clock.read)
            let responder = LayeredResponder(later, transport: first.network)
            let report = try #require(await responder.precacheReports().first)
            #expect(report.storedCount == 1)
            let missing = try #require(report.missing.first)
            #expect(missing.url == PrecacheFixture.origin + "b")
            #expect(missing.failure != nil)
            #expect(missing.triedAt == clock.date)
        }
    }

    @Test("begins again for another version")
    func update() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory)
            fixture.publish("a")
            _ = await fixture.run()
            try fixture.install("2", ["a", "b"])
            fixture.publish("b")
            let report = try #require(await fixture.run())
            #expect(report.version.string == "2")
            #expect(report.storedCount == 2)
            #expect(fixture.requested == ["/shop/a", "/shop/a", "/shop/b"])
        }
    }

    @Test("follows redirects below the bundle's origins, and stores each")
    func redirects() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory)
            let moved: HTTPFields = [.cacheControl: "max-age=60"]
            fixture.publish("a", "", moved + [.location: "b"], status: .movedPermanently)
            fixture.publish("b", "", moved + [.location: "https://cdn.example/c#f"], status: .found)
            fixture.publish("https://cdn.example/c", "C")
            #expect(await fixture.run()?.storedCount == 1)
            let app = LayeredResponder(fixture.store, transport: nil)
            #expect(try await app.load(PrecacheFixture.origin + "a").head.status == .movedPermanently)
            #expect(try await app.load("https://cdn.example/c").bytes() == Array("C".utf8))
        }
    }

    @Test(
        "stores nothing of a redirect elsewhere, in circles, or to clear text",
        arguments: [
            "https://other.example/", "a", "http://m.example.com/shop/b", "https://m.example.com/news", "",
            "/shop/..;/x",
        ]
    )
    func refusedRedirects(_ location: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory)
            fixture.publish("a", "", [.cacheControl: "no-store", .location: location], status: .found)
            let report = try #require(await fixture.run())
            #expect(report.storedCount == 0)
            #expect(fixture.network.requests.allSatisfy { $0.authority == "m.example.com" && $0.scheme == "https" })
            #expect(fixture.requested.allSatisfy { $0 == "/shop/a" })
            #expect(fixture.network.requests.count <= PrecacheLimits().redirects + 1)
        }
    }

    @Test("gives up after ten responses that can't be stored, unless the release is installed again")
    func givenUp() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory)
            fixture.publish("a", "no", [.cacheControl: "no-store"])
            var reports: [PrecacheReport?] = []
            for _ in 0..<12 {
                reports.append(await fixture.run())
                fixture.clock.advance(by: .seconds(25 * 3_600))
            }
            #expect(fixture.network.requests.count == 10)
            #expect(reports[8]?.missing.first?.isGivenUp == false)
            #expect(reports.last??.missing.first?.isGivenUp == true)
            #expect(reports.last??.missing.first?.failure?.contains("doesn't let the response be stored") == true)
            fixture.publish("a")
            #expect(await fixture.run(isForced: true)?.storedCount == 1)
        }
    }

    @Test("says what the origin responded", arguments: [404, 500])
    func status(_ status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory)
            fixture.publish("a", status: .init(code: status))
            let report = await fixture.run()
            #expect(report?.missing.first?.failure == "\(PrecacheFixture.origin)a has status \(status)")
        }
    }

    @Test("receives no more than its limits: of one body, and of all together")
    func bytes() async throws {
        try await withTemporaryDirectory { directory in
            var fixture = try PrecacheFixture(["a", "b", "c"], in: directory)
            fixture.limits.concurrency = 1
            fixture.limits.byteCount = 1_500
            fixture.publish("a", String(repeating: "a", count: 2_000))
            fixture.publish("b", String(repeating: "b", count: 900))
            fixture.publish("c", String(repeating: "c", count: 900))
            let report = try #require(await fixture.run())
            #expect(report.items.map(\.isStored) == [false, true, true])
            #expect(report.items[0].failure?.contains("longer than 1000 bytes") == true)
        }
    }

    @Test("takes no longer than it may, with an origin that hangs, and then asks it for nothing else")
    func time() async throws {
        try await withTemporaryDirectory { directory in
            var fixture = try PrecacheFixture(["a", "b", "c"], in: directory)
            fixture.limits.concurrency = 1
            let latch = Latch()
            for path in ["a", "b", "c"] {
                fixture.network.response(PrecacheFixture.origin + path) { _ in
                    try await latch.wait()
                    return OriginResponse(.ok, [.cacheControl: "max-age=60"], "x")
                }
            }
            let (running, clock) = (fixture, fixture.clock)
            let task = Task { await running.run(within: .seconds(30)) }
            try await latch.waitForArrivals()
            // The time limit, and the table of fetches.
            try await clock.waitForSleeps(2)
            clock.advance(by: .seconds(31))
            let report = try #require(await task.value)
            #expect(report.storedCount == 0)
            #expect(fixture.network.requests.count == 1)
            #expect(report.missing.allSatisfy { $0.triedAt == nil })
            latch.open()
        }
    }

    @Test("asks an origin that doesn't respond for one URL only, each time")
    func silentOrigin() async throws {
        try await withTemporaryDirectory { directory in
            var fixture = try PrecacheFixture(["a", "b", "c", "https://cdn.example/d"], in: directory)
            fixture.limits.concurrency = 1
            fixture.publish("https://cdn.example/d")
            let report = try #require(await fixture.run())
            #expect(fixture.requested == ["/d", "/shop/a"])
            #expect(report.items.map(\.isStored) == [false, false, false, true])
            #expect(report.missing.allSatisfy { $0.failure != nil && $0.nextTry != nil })
        }
    }

    @Test(
        "obeys the network rules",
        arguments: [
            #"{"match": {"path": "/a"}, "strategy": "block"}"#, #"{"strategy": "bundle-only"}"#,
            #"{"redirect": {"status": 302, "to": "/b"}}"#, #"{"strategy": "network-only"}"#,
        ]
    )
    func rules(_ rule: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory, rules: "[\(rule)]")
            fixture.publish("a")
            let report = await fixture.run()
            #expect(report?.storedCount == 0)
            #expect(report?.missing.first?.failure != nil)
            #expect(fixture.requested == (rule.contains("network-only") ? ["/shop/a"] : []))
        }
    }

    @Test("fills the cache for the strategy that asks no origin otherwise")
    func cacheOnly() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory, rules: #"[{"strategy": "cache-only"}]"#)
            fixture.publish("a")
            #expect(await fixture.run()?.storedCount == 1)
            #expect(fixture.requested == ["/shop/a"])
        }
    }

    @Test("leaves a bundle alone for which another process fetches")
    func busy() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try PrecacheFixture(["a"], in: directory)
            fixture.publish("a")
            let lock = fixture.store.lockPrecache(of: "shop")
            #expect(await fixture.run()?.isBusy == true)
            #expect(fixture.network.requests.isEmpty)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("has pauses by the kind of failure, spread by a quarter")
    func pauses() {
        let limits = PrecacheLimits()
        let (away, refused) = (PrecacheFailure.unavailable(""), PrecacheFailure.refused(""))
        #expect(
            (1...9).map { limits.pause(after: $0, away, random: 0.5) } == [
                30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600,
            ]
        )
        #expect(limits.pause(after: 1, away, random: 0) == 22.5)
        #expect(limits.pause(after: .max, away, random: 0.5) == 3_600)
        #expect(limits.pause(after: 1, refused, random: 0.5) == 600)
        #expect(limits.pause(after: 9, refused, random: 0.5) == 86_400)
        #expect(limits.pause(after: 10, refused, random: 0.5) == nil)
        #expect(limits.pause(after: 100, .postponed(""), random: 0.5) == 86_400)
    }
}

private func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
    var fields = left
    fields.append(contentsOf: right)
    return fields
}
