import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Storing a long body on the way to the client")
struct ArrivingBodyTests {
    private static let chunk = [UInt8](repeating: 7, count: 32 << 10)

    private func fixture(in directory: TemporaryDirectory, maximumByteCount: Int64 = 64 << 20) throws -> FallbackFixture
    {
        try FallbackFixture(in: directory, maximumByteCount: maximumByteCount)
    }

    /// Serves `x` in `count` chunks, with a latch before the last one.
    private func publish(
        _ count: Int,
        _ fixture: FallbackFixture,
        isLengthKnown: Bool = true,
        before latch: Latch? = nil,
        failure: (any Error)? = nil
    ) {
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        if isLengthKnown { fields[.contentLength] = String(count * Self.chunk.count) }
        let head = HTTPResponse(status: .ok, headerFields: fields)
        fixture.network.response(FallbackFixture.origin + "x") { _ in
            OriginResponse(head: head, body: BodyStream(LatchedChunks(count: count, latch: latch, failure: failure)))
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

    @Test("the client gets the beginning before the origin has sent the end, and others get the whole from the cache")
    func beginning() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            let latch = Latch()
            publish(8, fixture, before: latch)
            let response = await request(fixture)
            #expect(response.head.headerFields[.cacheStatus]?.contains("fwd-status=200; stored") == true)
            #expect(response.head.headerFields[.contentLength] == String(8 * Self.chunk.count))
            var bytes = try body(response).makeAsyncIterator()
            var received = 0
            while received < 6 * Self.chunk.count { received += try #require(try await bytes.next()).count }
            async let other = fixture.get("x")
            #expect(try fixture.cachedURLs.isEmpty)
            latch.open()
            while let chunk = try await bytes.next() { received += chunk.count }
            // A client that has everything finds it in the cache.
            #expect(try await fixture.get("x", offline: true).bytes.count == received)
            #expect(received == 8 * Self.chunk.count)
            #expect(try await other.bytes.count == received)
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("a client that disconnects, or never reads, doesn't keep others from getting it", arguments: [true, false])
    func goneClient(dropsBody: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            let latch = Latch()
            // More than is buffered for a client that doesn't read.
            publish(100, fixture, before: latch)
            var response: ServedResponse? = await request(fixture)
            if dropsBody { response = nil }
            async let other = fixture.get("x")
            latch.open()
            #expect(try await other.bytes.count == 100 * Self.chunk.count)
            #expect(try fixture.cachedURLs.count == 1)
            if let response { #expect(try await Received(response).bytes.count == 100 * Self.chunk.count) }
            #expect(fixture.network.requests.count == 1)
        }
    }

    /// Waits until unfinished files are removed, which happens behind the response: a file may vanish while it is looked
    /// at.
    private func untilNothingIsLeft(in directory: TemporaryDirectory) async throws {
        try await eventually { (try? directory.snapshot(of: "incoming").entries.isEmpty) == true }
    }

    @Test("a body that turns out to be too long reaches the client, is fetched once and isn't stored")
    func tooLong() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory, maximumByteCount: 1 << 20)
            publish(100, fixture, isLengthKnown: false)
            #expect(try await Received(await request(fixture)).bytes.count == 100 * Self.chunk.count)
            #expect(fixture.network.requests.count == 1)
            #expect(try fixture.cachedURLs.isEmpty)
            try await untilNothingIsLeft(in: directory)
        }
    }

    @Test("requests that wait for a body that is too long fetch it for themselves, without waiting for the client")
    func othersOfTooLong() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory, maximumByteCount: 100_000)
            let latch = Latch()
            publish(100, fixture, isLengthKnown: false, before: latch)
            let stalled = await request(fixture)
            async let other = fixture.get("x")
            latch.open()
            #expect(try await other.bytes.count == 100 * Self.chunk.count)
            #expect(try await Received(stalled).bytes.count == 100 * Self.chunk.count)
        }
    }

    @Test("when the origin breaks off, the client's body breaks off too, and nothing is stored")
    func brokenOrigin() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            publish(8, fixture, failure: OriginResponse.connectionLost)
            let response = await request(fixture)
            #expect(response.head.status == .ok)
            let error = await #expect(throws: BundleError.self) { _ = try await Received(response) }
            #expect(error?.code == .networkUnavailable)
            #expect(try fixture.cachedURLs.isEmpty)
            try await untilNothingIsLeft(in: directory)
        }
    }

    @Test("a client that is cancelled while it waits gets an error")
    func cancellation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            let latch = Latch()
            publish(8, fixture, before: latch)
            let response = await request(fixture)
            let reading = Task { try await Received(response) }
            try await latch.waitForArrivals()
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            latch.open()
            #expect(try await fixture.get("x").bytes.count == 8 * Self.chunk.count)
        }
    }

    @Test("a range is served from the whole that has been stored")
    func range() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory)
            publish(8, fixture)
            let response = try await fixture.get("x", [.range: "bytes=1-3"])
            #expect(response.status == 206)
            #expect(response.bytes == [7, 7, 7])
            try await eventually { try !fixture.cachedURLs.isEmpty }
        }
    }
}

/// Chunks that arrive at once, except the last, which arrives when the latch is open; optionally a failure takes its
/// place.
private struct LatchedChunks: AsyncSequence, Sendable {
    let count: Int
    let latch: Latch?
    let failure: (any Error)?

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let chunks: LatchedChunks
        var position = 0

        mutating func next() async throws -> [UInt8]? {
            guard position < chunks.count else { return nil }
            position += 1
            if position == chunks.count {
                try await chunks.latch?.wait()
                if let failure = chunks.failure { throw failure }
            }
            return [UInt8](repeating: 7, count: 32 << 10)
        }
    }
}
