import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("A suspended client", .timeLimit(.minutes(5)))
struct SuspensionTests {
    @Test("has ended its update, and holds no lock of the store until it is resumed")
    func locks() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let (client, latch) = (fixture.client, Latch())
            fixture.network.response(ClientFixture.feed) { _ in
                try await latch.wait()
                return OriginResponse(.ok, [:], "")
            }
            let other = try BundleStore(at: client.store.path)
            let update = Task { try await client.update(ClientFixture.name) }
            try await latch.waitForArrivals()
            #expect(throws: BundleError.self) { try other.lockUpdate(of: ClientFixture.name) }
            await client.suspend()
            await #expect(throws: CancellationError.self) { try await update.value }
            _ = try other.lockUpdate(of: ClientFixture.name)
            try other.setPinned(true, ClientFixture.name, BundleVersion("1.0.0"))
            for call in [client.hold, client.retry] as [@Sendable (BundleName) async throws -> Void] {
                let error = await #expect(throws: BundleError.self) { try await call(ClientFixture.name) }
                #expect(error?.code == .storeUnavailable)
            }
            #expect(client.resolve("\(ClientFixture.origin)app.js") != nil)
            client.resume()
            try await client.hold(ClientFixture.name)
        }
    }

    @Test("has written what was loaded before, and stores nothing of what it loads")
    func cache() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            for path in ["before", "meanwhile", "after"] {
                let fields: HTTPFields = [.cacheControl: "max-age=600"]
                fixture.network.response("\(ClientFixture.origin)\(path)", .ok, fields, path)
            }
            let other = try BundleStore(at: fixture.client.store.path)
            func stored() throws -> Set<String> { Set(try other.cachedResponses().map(\.url)) }
            _ = try await fixture.load("\(ClientFixture.origin)before")
            await fixture.client.suspend()
            #expect(try stored() == ["\(ClientFixture.origin)before"])
            #expect(try await fixture.load("\(ClientFixture.origin)meanwhile") == "200 network meanwhile")
            #expect(try await fixture.client.storedResponses().count == 1)
            fixture.client.resume()
            _ = try await fixture.load("\(ClientFixture.origin)after")
            _ = try await fixture.client.storedResponses()
            #expect(try stored().subtracting(["\(ClientFixture.origin)meanwhile"]).count == 2)
        }
    }

    @Test("holds no lock for a response that it receives, whose reader gets all of it", arguments: [true, false])
    func receiving(beganBefore: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
            // Longer than what is held in memory.
            let chunk = [UInt8](repeating: 7, count: 2 * CachedBodyWriter.memoryByteCount)
            fixture.network.response("\(ClientFixture.origin)film") { _ in
                let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=600"])
                return OriginResponse(head: head, body: BodyStream(chunks))
            }
            let other = try BundleStore(at: fixture.client.store.path)
            if !beganBefore { await fixture.client.suspend() }
            // The last chunk is held back until it is known to be one of an intact body.
            for _ in 0..<2 { source.yield(chunk) }
            let response = try await fixture.client.load("\(ClientFixture.origin)film")
            guard case .streaming(_, let body, _) = response else {
                Issue.record("the body has arrived as a whole")
                return
            }
            var iterator = body.makeAsyncIterator()
            var byteCount = try #require(await iterator.next()).count
            if beganBefore {
                let error = #expect(throws: BundleError.self) { try other.prune() }
                #expect(error?.code == .storeBusy)
                await fixture.client.suspend()
            }
            try other.prune()
            source.yield(chunk)
            source.finish()
            if beganBefore { fixture.client.resume() }
            while let next = try await iterator.next() { byteCount += next.count }
            #expect(byteCount == 3 * chunk.count)
            fixture.client.resume()
            #expect(try await fixture.client.storedResponses().isEmpty)
        }
    }

    @Test("sees when it is resumed what others of its App Group have installed meanwhile")
    func installedMeanwhile() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let other = try ClientFixture(in: directory, local: nil)
            var activations = fixture.client.activations.makeAsyncIterator()
            await fixture.client.suspend()
            try await other.client.install(archive: other.archive("1.1.0"))
            #expect(fixture.client.resolve(ClientFixture.origin)?.data == Data("page".utf8))
            fixture.client.resume()
            #expect(await activations.next()?.version == "1.1.0")
            #expect(try await fixture.load(ClientFixture.origin, isPage: true) == "200 active 1.1.0")
        }
    }

    @Test("follows the app, unless it isn't to", arguments: [true, false])
    func notifications(followsApp: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let client = try ClientFixture(in: directory) { $0.suspendsWithApp = followsApp }.client
            // The same for each name, of which an app or an extension gets one.
            for (leaving, returning) in [
                ("UIApplicationDidEnterBackgroundNotification", "UIApplicationWillEnterForegroundNotification"),
                ("NSExtensionHostDidEnterBackgroundNotification", "NSExtensionHostWillEnterForegroundNotification"),
            ] {
                NotificationCenter.default.post(name: Notification.Name(leaving), object: nil)
                if followsApp {
                    try await eventually { await Self.fails { try await client.retry(ClientFixture.name) } }
                } else {
                    try await client.retry(ClientFixture.name)
                }
                NotificationCenter.default.post(name: Notification.Name(returning), object: nil)
                try await client.retry(ClientFixture.name)
            }
            // Other tests begin in the background, too.
            NotificationCenter.default.post(
                name: Notification.Name("UIApplicationDidEnterBackgroundNotification"),
                object: nil
            )
        }
    }

    @Test("is resumed for work in the background, and suspended after it unless the app is back")
    func backgroundWork() async throws {
        try await withTemporaryDirectory { directory in
            let client = try ClientFixture(in: directory).client
            await client.suspend()
            let isDone = await client.whileResumed { await !Self.fails { try await client.retry(ClientFixture.name) } }
            #expect(isDone)
            #expect(await Self.fails { try await client.retry(ClientFixture.name) })
            await client.whileResumed { client.resume() }
            try await client.retry(ClientFixture.name)
        }
    }

    @Test("that is made when the app is in the foreground isn't suspended by work in the background")
    func madeInForeground() async throws {
        try await withTemporaryDirectory { directory in
            AppPresence.shared.observe()
            NotificationCenter.default.post(
                name: Notification.Name("UIApplicationDidBecomeActiveNotification"),
                object: nil
            )
            let client = try ClientFixture(in: directory).client
            await client.whileResumed {}
            try await client.retry(ClientFixture.name)
            // Another one that is made in the background is.
            NotificationCenter.default.post(
                name: Notification.Name("UIApplicationDidEnterBackgroundNotification"),
                object: nil
            )
            let other = try ClientFixture(in: directory, local: nil).client
            await other.whileResumed {}
            #expect(await Self.fails { try await other.retry(ClientFixture.name) })
        }
    }

    @Test("is suspended when the last work in the background has ended", arguments: [true, false])
    func worksInBackground(wasSuspended: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let client = try ClientFixture(in: directory).client
            if wasSuspended { await client.suspend() }
            let latch = Latch()
            let last = Task {
                await client.whileResumed {
                    try? await latch.wait()
                    return await !Self.fails { try await client.retry(ClientFixture.name) }
                }
            }
            try await latch.waitForArrivals()
            await client.whileResumed {}
            latch.open()
            #expect(await last.value)
            #expect(await Self.fails { try await client.retry(ClientFixture.name) })
        }
    }

    @Test("releases stored responses when the system warns of memory, and reads them again")
    func memoryWarning() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory) { $0.suspendsWithApp = false }
            let url = "\(ClientFixture.origin)api"
            fixture.network.response(url, .ok, [.cacheControl: "max-age=600"], "stock")
            func isInMemory() -> Bool {
                if case .complete = fixture.client.startResponse(to: ClientFixture.request(url)) { true } else { false }
            }
            #expect(try await fixture.load(url) == "200 network stock")
            _ = try await fixture.client.storedResponses()
            #expect(isInMemory())
            let warning = Notification.Name("UIApplicationDidReceiveMemoryWarningNotification")
            NotificationCenter.default.post(name: warning, object: nil)
            #expect(!isInMemory())
            #expect(try await fixture.load(url) == "200 cache stock")
            #expect(isInMemory())
            #expect(fixture.client.resolve("\(ClientFixture.origin)app.js") != nil)
        }
    }

    @Test("that is resumed while it is being suspended stays resumed, and one that is closed ends")
    func order() async throws {
        try await withTemporaryDirectory { directory in
            let client = try ClientFixture(in: directory).client
            for _ in 0..<20 {
                async let suspension: Void = client.suspend()
                client.resume()
                await suspension
                client.resume()
                try await client.retry(ClientFixture.name)
            }
            client.close()
            await client.suspend()
            client.resume()
            #expect(await Self.fails { try await client.retry(ClientFixture.name) })
        }
    }

    private static func fails(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return false
        } catch {
            return true
        }
    }
}
