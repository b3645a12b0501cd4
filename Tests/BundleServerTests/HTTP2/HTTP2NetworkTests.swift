import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import ServiceLifecycle
import Testing

@testable import BundleServer

@Suite("The network behind HTTP/2")
struct HTTP2NetworkTests {
    private static let url = "https://m.example.com/shop/data"

    @Test("what the bundle lacks comes from the network while other requests of the connection get responses")
    func fallback() async throws {
        let latch = Latch()
        let network = ScriptedTransport()
        network.response(Self.url) { _ in
            try await latch.wait()
            return OriginResponse(.ok, [.cacheControl: "max-age=60"], "late")
        }
        try await withShop(network) { client, _ in
            try await client.send(.get("/shop/data", stream: 1, [("cookie", "a=b"), ("cookie", "c=d")]))
            try await latch.waitForArrivals()
            #expect(try await client.get("/shop/app.js", stream: 3).text == "run()")
            latch.open()
            #expect(try await client.response(on: 1).text == "late")
            #expect(network.requests.count == 1)
            #expect(try await client.get("/shop/data", stream: 5).text == "late")
        }
    }

    @Test("a long response is read from the origin only as fast as the client takes it")
    func backPressure() async throws {
        let source = CountedChunks(count: 256, byteCount: 64 << 10)
        let network = ScriptedTransport()
        network.response(Self.url) { _ in source.response }
        try await withShop(network) { client, _ in
            // The connection's window is open for other streams, this stream's is closed.
            try await client.send(.windowUpdate(1 << 20), .get("/shop/data", stream: 1))
            _ = try await client.head(on: 1)
            // Time for the server to run ahead, measured in other requests.
            for index in 0..<50 { _ = try await client.get("/shop/app.js", stream: UInt32(index * 2 + 3)) }
            #expect(source.takenCount < 64)
            var byteCount = 0
            while true {
                let frame = try await client.frame(on: 1)
                byteCount += frame.payload.count
                if frame.isEnd { break }
                let count = UInt32(frame.payload.count)
                if count > 0 { try await client.send(.windowUpdate(count), .windowUpdate(count, stream: 1)) }
            }
            #expect(byteCount == 256 * 64 << 10)
        }
    }

    @Test("an incomplete response is reset, so that no client takes it for a complete one (RFC 9113 §8.1)")
    func brokenOrigin() async throws {
        let network = ScriptedTransport()
        network.response(Self.url) { _ in
            let chunks = AsyncThrowingStream<[UInt8], any Error> { continuation in
                continuation.yield([1, 2, 3])
                continuation.finish(throwing: BundleError(.networkUnavailable, "the origin has gone away"))
            }
            let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"])
            return OriginResponse(head: head, body: BodyStream(chunks))
        }
        try await withShop(network) { client, _ in
            try await client.send(.get("/shop/data", stream: 1))
            #expect(try await client.frame(.resetStream).errorCode == 2)
            #expect(try await client.get("/shop/app.js", stream: 3).text == "run()")
        }
    }

    @Test("a request that the client cancels is cancelled at the origin")
    func givenUp() async throws {
        let source = CountedChunks(count: 64, byteCount: 64 << 10)
        let network = ScriptedTransport()
        network.response(Self.url) { _ in source.response }
        try await withShop(network) { client, _ in
            try await client.send(.windowUpdate(1 << 20), .get("/shop/data", stream: 1))
            _ = try await client.head(on: 1)
            try await client.send(.reset(1))
            #expect(try await client.get("/shop/app.js", stream: 3).text == "run()")
            try await source.waitForEnd()
            #expect(source.takenCount < 64)
        }
    }

    @Test("requests that hang at one origin don't delay others of the connection; cancelled ones are cancelled there")
    func turns() async throws {
        let latch = Latch()
        let network = ScriptedTransport()
        for number in 0..<24 {
            network.response("\(Self.url)?\(number)") { _ in
                try await latch.wait()
                return OriginResponse(.ok, [.cacheControl: "no-store"], "\(number)")
            }
        }
        network.response("\(Self.url)?other") { _ in OriginResponse(.ok, [.cacheControl: "no-store"], "other") }
        try await withShop(network) { client, _ in
            func stream(_ number: Int) -> UInt32 { UInt32(2 * number + 1) }
            try await client.send((0..<24).map { .get("/shop/data?\($0)", stream: stream($0)) })
            try await latch.waitForArrivals(24)
            #expect(try await client.get("/shop/data?other", stream: 99).text == "other")
            try await client.send((20..<24).map { .reset(stream($0)) })
            #expect(try await client.get("/shop/app.js", stream: 101).text == "run()")
            latch.open()
            for number in 0..<20 {
                #expect(try await client.response(on: stream(number)).text == "\(number)")
            }
        }
    }

    @Test("at shutdown the requests under way get responses, and later ones aren't accepted (RFC 9113 §6.8)")
    func drain() async throws {
        let latch = Latch()
        let network = ScriptedTransport()
        network.response(Self.url) { _ in
            try await latch.wait()
            return OriginResponse(.ok, [.cacheControl: "no-store"], "late")
        }
        try await withShop(network) { client, endpoint in
            try await client.send(.get("/shop/data", stream: 1))
            try await latch.waitForArrivals()
            await endpoint.group.triggerGracefulShutdown()
            let goAway = try await client.frame(.goAway)
            #expect(goAway.payload == [0, 0, 0, 1, 0, 0, 0, 0])
            try await client.send(.get("/shop/app.js", stream: 3))
            latch.open()
            #expect(try await client.response(on: 1).text == "late")
            #expect(try await client.rest().allSatisfy { $0.stream != 3 || $0.errorCode == 7 })
        }
    }

    private func withShop(
        _ network: ScriptedTransport,
        _ body: (HTTP2Client, RunningEndpoint) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, transport: network) { endpoint in
                try await withHTTP2Client(to: endpoint.port) { try await body($0, endpoint) }
            }
        }
    }
}

/// A long response that isn't stored, which counts the bytes taken.
private final class CountedChunks: Sendable {
    private struct State: Sendable {
        var takenCount = 0
        var hasEnded = false
    }

    /// Exists for as long as there is a reader.
    private final class Reader: Sendable {
        private let onEnd: @Sendable () -> Void

        init(onEnd: @escaping @Sendable () -> Void) {
            self.onEnd = onEnd
        }

        deinit {
            onEnd()
        }
    }

    private let count: Int
    private let byteCount: Int
    private let monitor = Monitor(State())

    init(count: Int, byteCount: Int) {
        self.count = count
        self.byteCount = byteCount
    }

    var takenCount: Int { monitor.state.takenCount }

    func waitForEnd() async throws {
        try await monitor.wait(while: { !$0.hasEnded })
    }

    var response: OriginResponse {
        let reader = Reader { [monitor] in monitor.update { $0.hasEnded = true } }
        let chunks = AsyncStream { [self] in
            withExtendedLifetime(reader) {}
            return monitor.update { state -> [UInt8]? in
                guard state.takenCount < count else { return nil }
                state.takenCount += 1
                return [UInt8](repeating: 1, count: byteCount)
            }
        }
        let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"])
        return OriginResponse(head: head, body: BodyStream(chunks))
    }
}
