import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("Storing a long body on the way to the client")
struct BodyRelayTests {
    private static let chunk = [UInt8](repeating: 7, count: 32 << 10)

    private func fixture(in directory: TemporaryDirectory, maximumByteCount: Int64 = 64 << 20) throws -> FallbackFixture
    {
        try FallbackFixture(in: directory, maximumByteCount: maximumByteCount)
    }

    /// Lets `x` answer with `count` chunks, and a gate before the last one.
    private func publish(
        _ count: Int,
        _ fixture: FallbackFixture,
        isLengthTold: Bool = true,
        before gate: Gate? = nil,
        failure: (any Error)? = nil
    ) {
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        if isLengthTold { fields[.contentLength] = String(count * Self.chunk.count) }
        let head = HTTPResponse(status: .ok, headerFields: fields)
        fixture.network.response(FallbackFixture.origin + "x") { _ in
            OriginResponse(head: head, body: BodyStream(GatedChunks(count: count, gate: gate, failure: failure)))
        }
    }

    private func request(_ fixture: FallbackFixture, _ fields: HTTPFields = [:]) async -> ServedResponse {
        await fixture.responder.respond(
            to: HTTPRequest(
                method: .get,
                scheme: nil,
                authority: "m.example.com",
                path: "/shop/x",
                headerFields: fields
            )
        )
    }

    private func body(_ response: ServedResponse) throws -> BodyStream {
        guard case .streaming(_, let body, _) = response else { throw CancellationError() }
        return body
    }

    @Test("the client has the beginning before the origin has sent the end, and others get the whole from the cache")
    func beginning() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            let gate = Gate()
            publish(8, fixture, before: gate)
            let response = await request(fixture)
            #expect(response.head.headerFields[.cacheStatus]?.contains("fwd-status=200; stored") == true)
            #expect(response.head.headerFields[.contentLength] == String(8 * Self.chunk.count))
            var bytes = try body(response).makeAsyncIterator()
            var received = 0
            while received < 6 * Self.chunk.count { received += try #require(try await bytes.next()).count }
            async let other = fixture.get("x")
            #expect(try fixture.cachedURLs.isEmpty)
            gate.open()
            while let chunk = try await bytes.next() { received += chunk.count }
            // Who has everything finds it in the cache.
            #expect(try await fixture.get("x", offline: true).bytes.count == received)
            #expect(received == 8 * Self.chunk.count)
            #expect(try await other.bytes.count == received)
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("a client that goes away, or never reads, keeps nobody from getting it", arguments: [true, false])
    func goneClient(dropsBody: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            let gate = Gate()
            // More than waits for a client that doesn't read.
            publish(100, fixture, before: gate)
            var response: ServedResponse? = await request(fixture)
            if dropsBody { response = nil }
            async let other = fixture.get("x")
            gate.open()
            #expect(try await other.bytes.count == 100 * Self.chunk.count)
            #expect(try fixture.cachedURLs.count == 1)
            if let response { #expect(try await Received(response).bytes.count == 100 * Self.chunk.count) }
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("a body that turns out too long goes on to the client, is fetched once and isn't kept")
    func tooLong() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory, maximumByteCount: 1 << 20)
            publish(100, fixture, isLengthTold: false)
            let response = await request(fixture)
            #expect(try await Received(response).bytes.count == 100 * Self.chunk.count)
            #expect(fixture.network.requests.count == 1)
            #expect(try fixture.cachedURLs.isEmpty)
            #expect(try directory.snapshot(of: "incoming").entries.isEmpty)
        }
    }

    @Test("those who wait for a body that turns out too long fetch it for themselves, without waiting for the client")
    func othersOfTooLong() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory, maximumByteCount: 100_000)
            let gate = Gate()
            publish(100, fixture, isLengthTold: false, before: gate)
            let stalled = await request(fixture)
            async let other = fixture.get("x")
            gate.open()
            #expect(try await other.bytes.count == 100 * Self.chunk.count)
            #expect(try await Received(stalled).bytes.count == 100 * Self.chunk.count)
        }
    }

    @Test("an origin that breaks off breaks the client's body off, and nothing is kept")
    func brokenOrigin() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            publish(8, fixture, failure: OriginResponse.connectionLost)
            let response = await request(fixture)
            #expect(response.head.status == .ok)
            let error = await #expect(throws: BundleError.self) { _ = try await Received(response) }
            #expect(error?.code == .networkUnavailable)
            #expect(try fixture.cachedURLs.isEmpty)
            #expect(try directory.snapshot(of: "incoming").entries.isEmpty)
        }
    }

    @Test("a client that is cancelled while it waits learns that")
    func cancellation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            let gate = Gate()
            publish(8, fixture, before: gate)
            let response = await request(fixture)
            let reading = Task { try await Received(response) }
            try await gate.waitForArrivals()
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            gate.open()
            #expect(try await fixture.get("x").bytes.count == 8 * Self.chunk.count)
        }
    }

    @Test("chunks of one byte are joined while they wait, and the last one is still held back")
    func smallChunks() async throws {
        let relay = BodyRelay()
        let count = 400_000
        let head = HTTPResponse(status: .ok)
        for number in 0..<count { relay.offer([UInt8(truncatingIfNeeded: number)], of: head) }
        relay.finish(.complete)
        var received: [UInt8] = []
        var blocks = 0
        while let block = try await relay.next() {
            received += block
            blocks += 1
        }
        #expect(received == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
        #expect(blocks == (count - 1) / BodyRelay.blockByteCount + 1)
    }

    @Test("a chunk reaches a client that waits as soon as the next one has come, however small")
    func trickle() async throws {
        let relay = BodyRelay()
        let head = HTTPResponse(status: .ok)
        for number in UInt8(1)...3 {
            relay.offer([number], of: head)
            if number > 1 { #expect(try await relay.next() == [number - 1]) }
        }
        relay.finish(.complete)
        #expect(try await relay.next() == [3])
        #expect(try await relay.next() == nil)
    }

    @Test(
        "what waits for a client that doesn't read is bounded, whatever the size of its chunks",
        arguments: [1, 100, 100_000]
    )
    func bound(_ size: Int) {
        let relay = BodyRelay()
        let head = HTTPResponse(status: .ok)
        var offered = 0
        while !relay.isBehind, offered < 4 << 20 {
            relay.offer([UInt8](repeating: 0, count: size), of: head)
            offered += size
        }
        #expect(relay.isBehind)
        #expect(offered <= BodyRelay.maximumBufferedByteCount + 2 * size)
    }

    @Test("a part is answered from the whole that has been stored")
    func range() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            publish(8, fixture)
            let response = try await fixture.get("x", [.range: "bytes=1-3"])
            #expect(response.status == 206)
            #expect(response.bytes == [7, 7, 7])
            #expect(try fixture.cachedURLs.count == 1)
        }
    }
}

/// Chunks that come at once, but for the last, which comes when the gate is open, and then perhaps a failure in its place.
private struct GatedChunks: AsyncSequence, Sendable {
    let count: Int
    let gate: Gate?
    let failure: (any Error)?

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let chunks: GatedChunks
        var position = 0

        mutating func next() async throws -> [UInt8]? {
            guard position < chunks.count else { return nil }
            position += 1
            if position == chunks.count {
                try await chunks.gate?.pass()
                if let failure = chunks.failure { throw failure }
            }
            return [UInt8](repeating: 7, count: 32 << 10)
        }
    }
}
