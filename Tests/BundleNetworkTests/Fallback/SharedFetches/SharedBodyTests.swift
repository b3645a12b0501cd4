import BundleNetwork
import BundleStore
import BundleTesting
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("A body that arrives for several clients")
struct SharedBodyTests {
    private func withBody(_ test: (SharedBody, CachedBodyWriter) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let spool = try BundleStore(at: directory.path, creating: true).beginCachedBody()
            try await test(SharedBody(spool), spool)
        }
    }

    private func append(_ chunk: [UInt8], to body: SharedBody, _ spool: CachedBodyWriter) throws {
        try spool.append(chunk)
        body.append(chunk, isSpooled: true)
    }

    private func read(_ body: SharedBody, _ client: UInt64) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await body.next(client) { bytes += chunk }
        return bytes
    }

    @Test("a chunk reaches a waiting client as soon as the next one has arrived, however small")
    func trickle() async throws {
        try await withBody { body, spool in
            let client = body.join(nil)
            for number in UInt8(1)...3 {
                try append([number], to: body, spool)
                if number > 1 { #expect(try await body.next(client) == [number - 1]) }
            }
            body.finish(.complete)
            #expect(try await body.next(client) == [3])
            #expect(try await body.next(client) == nil)
        }
    }

    @Test("clients that are cancelled while a chunk arrives hold nothing up", .timeLimit(.minutes(5)))
    func cancelledMeanwhile() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path, creating: true)
            for _ in 0..<60 {
                let body = SharedBody(store.beginCachedBody())
                // It is held back, so that the clients wait.
                body.append([1], isSpooled: false)
                let readings = (0..<300).map { _ in
                    let client = body.join(nil)
                    return Task(executorPreference: BlockingExecutor()) { try? await body.next(client) }
                }
                // Most of them are waiting then, on an executor of their own: the runtime locks such tasks when it wakes
                // them.
                for _ in readings { await Task.yield() }
                async let cancelling: Void = readings.forEach { $0.cancel() }
                async let appending: Void = body.append([2], isSpooled: false)
                _ = await (appending, cancelling)
                for reading in readings { _ = await reading.value }
            }
        }
    }

    @Test("each client reads all of it at its own speed, from memory and from the file")
    func speeds() async throws {
        try await withBody { body, spool in
            let (fast, slow) = (body.join(nil), body.join(nil))
            var sent: [UInt8] = []
            for number in 0..<40 {
                let chunk = [UInt8](repeating: UInt8(number), count: 10_000)
                sent += chunk
                try append(chunk, to: body, spool)
                if number > 0 { _ = try await body.next(fast) }
            }
            body.finish(.complete)
            #expect(try await read(body, slow) == sent)
            #expect(try await read(body, fast) == sent.suffix(10_000))
            #expect(try await read(body, body.join(399_990..<399_995)) == Array(repeating: 39, count: 5))
        }
    }

    @Test("small chunks are joined while they wait")
    func joining() async throws {
        try await withBody { body, spool in
            let client = body.join(nil)
            for number in 0..<200_000 { try append([UInt8(truncatingIfNeeded: number)], to: body, spool) }
            body.finish(.complete)
            var blockCount = 0
            while try await body.next(client) != nil { blockCount += 1 }
            #expect(blockCount == 4)
        }
    }

    @Test("what isn't spooled is kept in a window, and the origin waits for the fastest client")
    func window() async throws {
        try await withBody { body, spool in
            let chunk = [UInt8](repeating: 1, count: 256 << 10)
            try append([9], to: body, spool)
            let (fast, slow) = (body.join(nil), body.join(nil))
            for _ in 0..<5 { body.append(chunk, isSpooled: false) }
            let appending = Task { await body.waitForRoom() }
            var received: [UInt8] = []
            while received.count < 200_000 { received += try #require(try await body.next(fast)) }
            await appending.value
            #expect(received.first == 9)
            for _ in 0..<4 {
                body.append(chunk, isSpooled: false)
                while received.count < body.byteCount - chunk.count {
                    received += try #require(try await body.next(fast))
                }
            }
            body.finish(.complete)
            #expect(try await read(body, fast).count + received.count == 1 + 9 * chunk.count)
            // It has the spooled byte, and then the window has moved on.
            #expect(try await body.next(slow) == [9])
            await #expect(throws: BundleError.self) { try await body.next(slow) }
        }
    }

    @Test(
        "the origin doesn't wait for a client that can't read on: the latest chunk may be longer than the window",
        .timeLimit(.minutes(5))
    )
    func longChunk() async throws {
        try await withBody { body, _ in
            let (client, chunk) = (body.join(nil), [UInt8](repeating: 1, count: 3 * SharedBody.windowByteCount))
            var count = 0
            for number in 1...3 {
                body.append(chunk, isSpooled: false)
                while count < (number - 1) * chunk.count { count += try #require(try await body.next(client)).count }
                await body.waitForRoom()
            }
            body.finish(.complete)
            #expect(try await read(body, client).count == chunk.count)
        }
    }

    @Test("a failure follows what has arrived")
    func failure() async throws {
        try await withBody { body, spool in
            let client = body.join(nil)
            try append([1, 2], to: body, spool)
            body.finish(.failed(OriginResponse.connectionLost))
            body.finish(.complete)
            #expect(try await body.next(client) == [1, 2])
            await #expect(throws: BundleError.self) { try await body.next(client) }
        }
    }

    @Test("a client that leaves, or whose task is cancelled, gets an error, and the others the rest")
    func leaving() async throws {
        try await withBody { body, spool in
            let (gone, cancelled, other) = (body.join(nil), body.join(nil), body.join(nil))
            let reading = Task { try await body.next(cancelled) }
            body.leave(gone)
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await body.next(gone) }
            await #expect(throws: CancellationError.self) { try await reading.value }
            try append([1], to: body, spool)
            body.finish(.complete)
            #expect(try await read(body, other) == [1])
        }
    }
}
