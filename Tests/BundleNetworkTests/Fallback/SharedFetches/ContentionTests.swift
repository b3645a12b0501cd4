import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Synchronization
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Many requests to origins in trouble")
struct ContentionTests {
    private static let length = 300_000

    private func request(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: nil, authority: "m.example.com", path: "/shop/\(path)", headerFields: fields)
    }

    /// Starts requests, and returns when each waits for the network.
    private func start(_ count: Int, _ path: String, _ fixture: FallbackFixture) -> [Task<Received, any Error>] {
        (0..<count).map { _ in Task { try await fixture.get(path) } }
    }

    /// Reads what has arrived of a body, and leaves.
    private func readBeginning(of path: String, _ responder: LayeredResponder) async throws {
        guard case .streaming(_, let body, _) = await responder.respond(to: request(path)) else {
            Issue.record("the body is all there")
            return
        }
        var (chunks, count) = (body.makeAsyncIterator(), 0)
        while count < 100_000, let chunk = try await chunks.next() { count += chunk.count }
    }

    @Test("on a URL that hangs don't delay another URL", arguments: ["max-age=60", "no-store"])
    func hangingURL(cacheControl: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let latch = Latch()
            fixture.network.response(FallbackFixture.origin + "slow") { _ in
                try await latch.wait()
                return OriginResponse(.ok, [.cacheControl: cacheControl], "slow")
            }
            fixture.publish("x", "x")
            let waiting = start(600, "slow", fixture)
            try await latch.waitForArrivals()
            #expect(try await fixture.get("x").text == "x")
            latch.open()
            for task in waiting { #expect(try await task.value.text == "slow") }
        }
    }

    @Test("that are revalidated behind their responses don't delay anything")
    func hangingRevalidations() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            for number in 0..<100 {
                fixture.publish("\(number)", "old", [.cacheControl: "max-age=60, stale-while-revalidate=600"])
                _ = try await fixture.get("\(number)")
            }
            fixture.clock.advance(by: .seconds(90))
            let latch = Latch()
            for number in 0..<100 {
                fixture.network.response(FallbackFixture.origin + "\(number)") { _ in
                    try await latch.wait()
                    return OriginResponse(.ok, [:], "new")
                }
            }
            for number in 0..<100 { #expect(try await fixture.get("\(number)").text == "old") }
            fixture.publish("x", "x")
            #expect(try await fixture.get("x").text == "x")
            // No more than 16 of them are under way for one origin.
            #expect(fixture.network.requests.count <= 100 + 16 + 1)
            latch.open()
        }
    }

    @Test(
        "that are all cancelled leave a fetch behind only where little is missing, and not on a metered link",
        arguments: [
            (300_000, false, true), (300_000, true, false), (9_000_000, false, false), (nil, false, false),
        ] as [(Int?, Bool, Bool)]
    )
    func abandoned(_ length: Int?, isMetered: Bool, goesOn: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 16 << 20, isMetered: isMetered)
            let ended = Latch()
            let (chunks, source) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            source.onTermination = { _ in ended.open() }
            // The latest chunk is held back.
            for count in [100_000, 1] { source.yield([UInt8](repeating: 7, count: count)) }
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            if let length { fields[.contentLength] = "\(length)" }
            let head = HTTPResponse(status: .ok, headerFields: fields)
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                OriginResponse(head: head, body: BodyStream(chunks))
            }
            try await readBeginning(of: "x", fixture.responder)
            guard goesOn, let length else { return try await ended.wait() }
            source.yield([UInt8](repeating: 7, count: length - 100_001))
            source.finish()
            try await eventually { try await fixture.get("x", offline: true).status == 200 }
        }
    }

    @Test("that are all cancelled leave a fetch behind that ends when the link becomes metered")
    func becomingMetered() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture("[]", in: directory)
            let (chunks, source) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            for count in [100_000, 1] { source.yield([UInt8](repeating: 7, count: count)) }
            let head = HTTPResponse(
                status: .ok,
                headerFields: [.cacheControl: "max-age=60", .contentLength: "\(Self.length)"]
            )
            fixture.network.response(RulingFixture.origin + "x") { _ in
                OriginResponse(head: head, body: BodyStream(chunks))
            }
            try await readBeginning(of: "x", fixture.responder)
            let sharedFetches = fixture.responder.fallback.coordinator.sharedFetches
            try await eventually { sharedFetches.waiterCount == 0 }
            #expect(!sharedFetches.isEmpty)
            fixture.link.isMetered = true
            source.yield([7])
            try await eventually { sharedFetches.isEmpty }
            fixture.link.isUp = false
            #expect(try await fixture.get("x").status == 504)
        }
    }

    @Test("that are cancelled leave no request behind, unless what it brings is stored", arguments: [false, true])
    func cancelled(hasHead: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 1 << 20)
            let (latch, ended) = (Latch(), Latch())
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                if !hasHead {
                    do { try await latch.wait() } catch {
                        ended.open()
                        throw error
                    }
                }
                let head = HTTPResponse(
                    status: .ok,
                    headerFields: [.cacheControl: "max-age=60", .contentLength: "\(Self.length)"]
                )
                return OriginResponse(head: head, body: BodyStream(Drip(latch)))
            }
            let requests = start(20, "x", fixture)
            try await latch.waitForArrivals()
            // Without a head, a request that came after the fetch has been cancelled would begin another.
            if !hasHead {
                try await eventually { fixture.responder.fallback.coordinator.sharedFetches.waiterCount >= 20 }
            }
            for request in requests { request.cancel() }
            if hasHead {
                latch.open()
                try await eventually { try await fixture.get("x", offline: true).status == 200 }
            } else {
                try await ended.wait()
            }
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("get their own responses when the first request's fields made the origin hang up")
    func failingLeader() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let latch = Latch()
            fixture.network.response(FallbackFixture.origin + "x") { request in
                try await latch.wait()
                if request.headerFields[.userAgent] == "bad" { throw OriginResponse.connectionLost }
                return OriginResponse(.ok, [.cacheControl: "max-age=60"], "x")
            }
            let leader = Task { try await fixture.get("x", [.userAgent: "bad"]) }
            try await latch.waitForArrivals()
            let followers = start(20, "x", fixture)
            try await eventually { fixture.responder.fallback.coordinator.sharedFetches.waiterCount >= 21 }
            latch.open()
            #expect(try await leader.value.status == 504)
            for follower in followers { #expect(try await follower.value.text == "x") }
            #expect(fixture.network.requests.count == 2)
        }
    }

    @Test("read one body while it arrives, a late one too, and parts of it")
    func arriving() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 1 << 20)
            let latch = Latch()
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                let fields: HTTPFields = [
                    .cacheControl: "max-age=60", .contentLength: "\(Self.length)", .eTag: "\"1\"",
                ]
                return OriginResponse(
                    head: HTTPResponse(status: .ok, headerFields: fields),
                    body: BodyStream(Drip(latch))
                )
            }
            func body(_ fields: HTTPFields = [:]) async throws -> (HTTPResponse, BodyStream.AsyncIterator) {
                guard case .streaming(let head, let body, _) = await fixture.responder.respond(to: request("x", fields))
                else { throw CancellationError() }
                return (head, body.makeAsyncIterator())
            }
            var (_, first) = try await body()
            var (_, second) = try await body()
            #expect(try await first.next()?.first == 7)
            #expect(try await second.next()?.first == 7)
            let (partHead, part) = try await body([.range: "bytes=10-19"])
            var bytes = part
            #expect(partHead.status == .partialContent)
            #expect(partHead.headerFields[.contentRange] == "bytes 10-19/\(Self.length)")
            #expect(try await bytes.next()?.count == 10)
            #expect(try await bytes.next() == nil)
            #expect(try await fixture.get("x", [.ifNoneMatch: "\"1\""]).status == 304)
            latch.open()
            var count = 0
            while let chunk = try await second.next() { count += chunk.count }
            #expect(count > 0)
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("a range of what isn't stored goes to the origin as a range")
    func range() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.network.response(FallbackFixture.origin + "x", file: Array("0123456789".utf8))
            let response = try await fixture.get("x", [.range: "bytes=4-"])
            #expect(response.status == 206)
            #expect(response.text == "456789")
            #expect(response[.contentRange] == "bytes 4-9/10")
            #expect(fixture.network.requests.map { $0.headerFields[.range] } == ["bytes=4-"])
        }
    }

    @Test("to an origin that is out wait once, and then the stored responses come at once")
    func breaker() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, fallbackTimeout: .milliseconds(1))
            for path in ["x", "y"] {
                fixture.publish(path, path)
                _ = try await fixture.get(path)
            }
            fixture.clock.advance(by: .seconds(90))
            let latch = Latch()
            for path in ["x", "y"] {
                fixture.network.response(FallbackFixture.origin + path) { _ in
                    try await latch.wait()
                    return OriginResponse(.ok, [.cacheControl: "max-age=60"], "new")
                }
            }
            // That for x may still be under way.
            func count() -> Int { fixture.network.requests.count { $0.path == "/shop/y" } }
            #expect(try await fixture.get("x").text == "x")
            let before = count()
            #expect(try await fixture.get("y").text == "y")
            #expect(count() == before)
            latch.open()
        }
    }
}

/// Nine tenths of a body at once, and the rest when the latch is open.
private struct Drip: AsyncSequence, Sendable {
    let latch: Latch

    init(_ latch: Latch) {
        self.latch = latch
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(latch: latch) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let latch: Latch
        var position = 0

        mutating func next() async throws -> [UInt8]? {
            guard position < 10 else { return nil }
            position += 1
            if position == 10 { try await latch.wait() }
            return [UInt8](repeating: 7, count: 30_000)
        }
    }
}
