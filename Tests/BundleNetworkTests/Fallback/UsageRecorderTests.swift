import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import BundleUsage
@testable import HTTPCore

@Suite(.timeLimit(.minutes(5)))
struct UsageRecorderTests {
    /// A responder of an app that counts, in front of the fixture's bundle and network.
    private struct App {
        let fixture: FallbackFixture
        let usage: UsageRecorder
        let responder: LayeredResponder

        init(_ fixture: FallbackFixture, offline: Bool = false, every interval: Duration? = nil) {
            self.fixture = fixture
            usage = UsageRecorder(fixture.store, every: interval, clock: fixture.clock, now: fixture.clock.read)
            responder = LayeredResponder(
                fixture.resolver,
                store: fixture.store,
                transport: offline ? nil : fixture.network,
                policy: CachePolicy(isShared: false),
                clock: fixture.clock,
                usage: usage,
                now: fixture.clock.read
            )
        }

        @discardableResult
        func get(
            _ path: String,
            _ fields: HTTPFields = [:],
            method: HTTPRequest.Method = .get
        ) async throws -> Received {
            let request = HTTPRequest(
                method: method,
                scheme: "https",
                authority: "m.example.com",
                path: "/shop/\(path)",
                headerFields: fields
            )
            return try await Received(responder.respond(to: request))
        }

        var report: UsageReport {
            get async throws {
                await usage.flush()
                return try UsageReport(of: fixture.store)
            }
        }
    }

    private func withApp(
        offline: Bool = false,
        every interval: Duration? = nil,
        _ body: (App) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await body(App(FallbackFixture(in: directory), offline: offline, every: interval))
        }
    }

    @Test func `a report of the recorder has what is written and what isn't yet, each once`() async throws {
        try await withApp(offline: true) { app async throws in
            try await app.get("missing.js")
            await app.usage.flush()
            for _ in 1...2 { try await app.get("missing.js") }
            for _ in 1...2 {
                let report = try await app.usage.report(since: nil, listCount: 10)
                #expect(report.missCount == 3)
                #expect(report.misses.map(\.count) == [3])
                #expect(report.requests.miss == 3)
                await app.usage.flush()
            }
            #expect(try UsageReport(of: app.fixture.store).missCount == 3)
        }
    }

    @Test("each layer's requests and bytes are counted, and the hit rate follows from them")
    func layers() async throws {
        try await withApp { app in
            app.fixture.publish("new.js?user=me", "12345")
            for _ in 0..<3 { try await app.get("index.html") }
            try await app.get("index.html", method: .head)
            for _ in 0..<2 { try await app.get("new.js?user=me") }
            _ = await app.responder.respond(to: HTTPRequest(method: .trace, scheme: nil, authority: "x", path: "/"))
            let report = try await app.report
            #expect(report.requests == .init(total: 7, active: 4, cache: 1, network: 1, server: 1))
            #expect(report.bytes.bundle == 15)
            #expect(report.bytes.network == 5)
            #expect(report.bytes.cache == 5)
            #expect(report.hitRate == 0.8333)
            #expect(report.errors.client == 1)
            #expect(report.misses == [UsageReport.Miss(name: "shop", path: "new.js", count: 1)])
            #expect(report.slowest.map(\.url) == ["https://m.example.com/shop/new.js"])
            #expect(
                try UsageReport(of: app.fixture.store, bundle: BundleName("bare")).requests == UsageReport.Requests()
            )
        }
    }

    @Test("what is missed is named as the file that the bundle would need, and what nobody has isn't listed")
    func misses() async throws {
        try await withApp { app in
            for number in 0..<3 { app.fixture.publish("a%20b.js?\(number)", "1", [.cacheControl: "no-store"]) }
            app.fixture.publish("news/", "1", [.cacheControl: "no-store"])
            app.fixture.publish("gone.js", "no", status: .notFound)
            app.fixture.publish("api", "1", [.cacheControl: "no-store"])
            for number in 0..<3 { try await app.get("a%20b.js?\(number)") }
            for _ in 0..<2 { try await app.get("news/") }
            try await app.get("gone.js")
            try await app.get("api", method: .post)
            let report = try await app.report
            #expect(report.misses.map(\.path) == ["a b.js", "news/index.html"])
            #expect(report.misses.map(\.count) == [3, 2])
            #expect(report.missCount == 5)
        }
    }

    @Test("revalidations are counted, and those that the origin confirms")
    func revalidations() async throws {
        try await withApp { app in
            let fields: HTTPFields = [.cacheControl: "max-age=1", .eTag: "\"1\""]
            app.fixture.publish("r.js", "one", fields)
            try await app.get("r.js")
            await app.fixture.store.flushCache()
            app.fixture.clock.advance(by: .seconds(10))
            app.fixture.publish("r.js", "", fields, status: .notModified)
            let second = try await app.get("r.js")
            #expect(second.text == "one")
            app.fixture.clock.advance(by: .seconds(10))
            app.fixture.publish("r.js", "two", [.cacheControl: "max-age=1", .eTag: "\"2\""])
            let third = try await app.get("r.js")
            #expect(third.text == "two")
            let report = try await app.report
            #expect(report.revalidations.count == 2)
            #expect(report.revalidations.confirmed == 1)
            #expect(report.requests == .init(total: 3, network: 3))
        }
    }

    @Test("without a network the reason is counted, offline pages too, and what was asked for is a miss")
    func offline() async throws {
        try await withApp(offline: true) { app in
            try await app.get("a.js")
            try await app.get("page", [.secFetchMode: "navigate"])
            try await app.get("a.js", [.cacheControl: "only-if-cached"])
            let report = try await app.report
            #expect(report.errors.offline + report.errors.onlyIfCached == 3)
            #expect(report.offlinePageCount == 1)
            #expect(report.errors.server == 3)
            #expect(report.requests == .init(total: 3, miss: 3))
            #expect(report.misses.contains { $0.path == "a.js" })
            #expect(report.slowest.isEmpty)
        }
    }

    @Test("statistics outlive the recorder, which writes the last of them at its end; only a kill loses them")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            func recorder() -> UsageRecorder { UsageRecorder(fixture.store, now: fixture.clock.read) }
            let killed = recorder()
            killed.record(ResponseSource(.active), status: 200, byteCount: 1)
            await killed.flush()
            killed.record(ResponseSource(.active), status: 200, byteCount: 1)
            let other = try BundleStore(at: directory.path)
            #expect(try UsageReport(of: other).requests == .init(total: 1, active: 1))
            for _ in 0..<2 { recorder().record(ResponseSource(.cache), status: 200, byteCount: 1) }
            #expect(try UsageReport(of: other).requests == .init(total: 3, active: 1, cache: 2))
            withExtendedLifetime(killed) {}
        }
    }

    @Test("an app's statistics are written once an interval after something was counted")
    func interval() async throws {
        try await withApp(every: .seconds(60)) { app in
            for round in 1...2 {
                try await app.get("index.html")
                // Sleeps, until the test moves the clock; then it writes, and sleeps no more.
                while try UsageReport(of: app.fixture.store).requests.active != Int64(round) {
                    app.fixture.clock.advance(by: .seconds(60))
                    await Task.yield()
                }
            }
        }
    }

    @Test("a store that can't be written loses no response, and has the statistics when it can be written again")
    func unwritable() async throws {
        try await withTemporaryDirectory { directory in
            let app = App(try FallbackFixture(in: directory))
            app.fixture.publish("new.js", "12345")
            let (catalog, aside) = (directory.path(of: "catalog.sqlite"), directory.path(of: "aside"))
            try FileManager.default.moveItem(atPath: catalog, toPath: aside)
            for _ in 0..<3 {
                let page = try await app.get("index.html")
                #expect(page.status == 200)
                await app.usage.flush()
            }
            try await app.get("new.js", [.cacheControl: "no-store"])
            await app.usage.flush()
            try FileManager.default.moveItem(atPath: aside, toPath: catalog)
            let report = try await app.report
            #expect(report.requests == .init(total: 4, active: 3, network: 1))
            #expect(report.misses.map(\.path) == ["new.js"])
        }
    }

    @Test("thousands of different URLs a minute neither grow the statistics nor push out what is asked for")
    func hostile() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let usage = UsageRecorder(fixture.store, now: fixture.clock.read)
            let shop = BundleName("shop")
            for minute in 0..<5 {
                usage.note { pending in
                    for number in 0..<4_000 {
                        let text = "\(minute)/\(number)/" + String(repeating: "x", count: number % 700)
                        pending.miss(text, of: shop)
                        pending.time(text, .milliseconds(number % 50), of: shop)
                        if number % 500 == 0 { pending.miss("real.js", of: shop) }
                    }
                    pending.time("https://slow/", .seconds(2), of: shop)
                }
                await usage.flush()
            }
            let report = try UsageReport(of: fixture.store, listCount: 1_000)
            #expect(report.misses.first?.path == "real.js")
            #expect((30...40).contains(report.misses.first?.count ?? 0))
            #expect(report.misses.count == 128)
            #expect(report.slowest.first?.url == "https://slow/")
            #expect(report.slowest.count == 128)
            #expect(report.missCount == 20_040)
            #expect(report.misses.allSatisfy { $0.path.utf8.count <= 512 })
        }
    }

    @Test("an app can turn counting off, and read what it has counted")
    func facade() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let url = FallbackFixture.origin + "index.html"
            let silent = LayeredResponder(fixture.store, transport: nil, countsUse: false)
            _ = try await silent.load(url)
            await silent.flushStatistics()
            #expect(try UsageReport(of: fixture.store).requests == UsageReport.Requests())
            let counting = LayeredResponder(fixture.store, transport: nil)
            _ = try await counting.load(url)
            await counting.flushStatistics()
            #expect(try UsageReport(of: fixture.store).requests == .init(total: 1, active: 1))
        }
    }

    @Test("two recorders of one store, as those of two processes, add to each other")
    func two() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let stores = [fixture.store, try BundleStore(at: directory.path)]
            let recorders = stores.map { UsageRecorder($0, now: fixture.clock.read) }
            await withTaskGroup { group in
                for recorder in recorders {
                    group.addTask {
                        for _ in 0..<20 {
                            recorder.record(ResponseSource(.active), status: 200, byteCount: 3)
                            await recorder.flush()
                        }
                    }
                }
            }
            let report = try UsageReport(of: fixture.store)
            #expect(report.requests == .init(total: 40, active: 40))
            #expect(report.bytes.server == 0)
            #expect(report.bytes.bundle == 120)
        }
    }
}
