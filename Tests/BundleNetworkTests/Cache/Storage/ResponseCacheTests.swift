import BundleServing
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import BundleStore
@testable import HTTPCore

@Suite("Responses in the store")
struct ResponseCacheTests {
    private struct Fixture {
        static let url = "https://m.example.com/shop/x"
        let clock = TestClock()
        let store: BundleStore
        let cache: ResponseCache

        init(in directory: TemporaryDirectory, memory: Int = 64 << 20) throws {
            store = try BundleStore(at: directory.path, creating: true, now: clock.read)
            if store.snapshot.bundles.isEmpty {
                try store.install(try BundleManifest.sample(), files: ["index.html": ""])
            }
            let policy = CachePolicy(isShared: true)
            cache = ResponseCache(store: store, policy: policy, maximumByteCount: 100, memory: memory)
        }

        var release: Release {
            get throws { try #require(store.snapshot.sortedBundles.first?.active) }
        }

        static func request(_ fields: HTTPFields = [:]) -> HTTPRequest {
            HTTPRequest(
                method: .get,
                scheme: "https",
                authority: "m.example.com",
                path: "/shop/x",
                headerFields: fields
            )
        }

        func exchange(
            _ fields: HTTPFields,
            status: HTTPResponse.Status = .ok,
            request: HTTPFields = [:]
        ) -> OriginExchange {
            OriginExchange(
                url: Self.url,
                request: Self.request(request),
                requestTime: clock.date,
                response: HTTPResponse(status: status, headerFields: fields),
                responseTime: clock.date
            )
        }

        @discardableResult
        func keep(_ text: String, _ fields: HTTPFields, request: HTTPFields = [:]) throws -> CachedVariant? {
            let writer = store.beginCachedBody()
            try writer.append(Array(text.utf8))
            return try cache.keep(exchange(fields, request: request), key: Self.url, body: writer, under: release)
        }

        func text(_ fields: HTTPFields = [:]) throws -> String? {
            try cache.lookUpWaiting(Self.request(fields), key: Self.url, under: release).variant?.body
                .map { String(decoding: $0.array, as: UTF8.self) }
        }
    }

    @Test("a stored response is found again, with its fields and the length of its body")
    func kept() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let kept = try #require(try fixture.keep("text", [.cacheControl: "max-age=60", .eTag: #""a""#]))
            #expect(kept.response.bodyLength == 4)
            #expect(try fixture.text() == "text")
            #expect(kept.representation(now: fixture.clock.date, CacheStatus(.hit)).entityTag == EntityTag(#""a""#))
        }
    }

    @Test("a response that leaves memory is found on the disk, and stays in memory until it is there")
    func released() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            try fixture.keep("text", [.cacheControl: "max-age=60"])
            // It may not be on the disk yet.
            fixture.cache.memory.release()
            #expect(try fixture.text() == "text")
            await fixture.store.flushCache()
            fixture.cache.memory.release()
            #expect(fixture.cache.memory.size.count == 0)
            #expect(try fixture.text() == "text")
        }
    }

    @Test("a newer response replaces the variant that it matches, and no other")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "Accept-Language"]
            for text in ["de", "en", "fr"] { try fixture.keep(text, fields, request: [.acceptLanguage: text]) }
            fixture.clock.advance(by: .seconds(1))
            try fixture.keep("new", fields, request: [.acceptLanguage: "en"])
            #expect(try fixture.store.cachedResponses(for: Fixture.url).count == 3)
            #expect(try fixture.text([.acceptLanguage: "en"]) == "new")
            #expect(try fixture.text([.acceptLanguage: "de"]) == "de")
            #expect(try fixture.text([.acceptLanguage: "it"]) == nil)
        }
    }

    @Test("a confirmed response is as fresh as its 304, or dropped when that forbids it", arguments: [true, false])
    func freshened(mayStay: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let kept = try #require(try fixture.keep("text", [.cacheControl: "max-age=60"]))
            fixture.clock.advance(by: .seconds(100))
            let exchange = fixture.exchange([.cacheControl: mayStay ? "max-age=9" : "no-store"], status: .notModified)
            let freshened = fixture.cache.freshen(kept, by: exchange)
            #expect(freshened?.response.fields[.cacheControl] == (mayStay ? "max-age=9" : nil))
            #expect(try fixture.text() == (mayStay ? "text" : nil))
            #expect(try fixture.store.cachedResponses().count == (mayStay ? 1 : 0))
            #expect(kept.validity.isRevoked)
            #expect(freshened?.validity.isRevoked != true)
        }
    }

    @Test("a response that was dropped isn't found again, although the catalog still has it", arguments: [true, false])
    func dropped(isHead: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let kept = try #require(try fixture.keep("text", [.cacheControl: "max-age=60"]))
            #expect(try fixture.store.cachedResponses().count == 1, "it is in the catalog")
            if isHead {
                fixture.cache.freshen(kept, byHead: fixture.exchange([.contentLength: "7"]))
            } else {
                _ = fixture.cache.freshen(kept, by: fixture.exchange([.cacheControl: "no-store"], status: .notModified))
            }
            #expect(try fixture.text() == nil)
        }
    }

    /// The fixture as it is for another process, with changed metadata of the only response.
    private func withMetadata(
        _ change: ([UInt8]) -> [UInt8],
        _ body: (Fixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let fixture = try Fixture(in: directory)
                try fixture.keep("text", [.cacheControl: "max-age=60"])
                let record = try #require(try fixture.store.cachedResponses().first)
                let row = fixture.store.row(of: record)
                fixture.store.update(row, metadata: change(record.metadata), selection: record.selection)
            }
            try await body(Fixture(in: directory))
        }
    }

    @Test("an entry that can't be read counts as absent", arguments: ["", "{}", "\u{1}", "\u{1}\u{C8}\u{0}"])
    func unreadable(metadata: String) async throws {
        try await withMetadata { _ in
            Array(metadata.utf8)
        } _: { fixture in
            let text = try fixture.text()
            #expect(text == nil)
        }
    }

    @Test("absurd times don't prevent a response")
    func absurdTimes() async throws {
        try await withMetadata { metadata in
            var metadata = metadata
            let time = (-1e300).bitPattern
            withUnsafeBytes(of: time.littleEndian) { metadata.replaceSubrange(4..<20, with: Array($0) + Array($0)) }
            return metadata
        } _: { fixture in
            let fallback = OriginFallback(cache: fixture.cache, transport: nil, now: fixture.clock.read)
            let request = Fixture.request()
            let forwarded = ForwardedRequest(request: request, url: Fixture.url, rule: nil)
            let fetch = try #require(fallback.fetch(for: forwarded, under: try fixture.release))
            guard case .stored(let representation, _) = await fallback.respond(to: request, fetch) else {
                Issue.record("nothing was answered")
                return
            }
            #expect(representation.content.count == 4)
        }
    }

    @Test("a response that arrives after another version's activation isn't stored")
    func otherVersion() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let before = try fixture.release
            try fixture.store.install(try BundleManifest.sample("shop", "1.1.0"), files: ["index.html": ""])
            let writer = fixture.store.beginCachedBody()
            let late = fixture.cache.keep(
                fixture.exchange([.cacheControl: "max-age=60"]),
                key: Fixture.url,
                body: writer,
                under: before
            )
            #expect(late == nil)
            #expect(try fixture.text() == nil)
        }
    }

    @Test("a stored response is found at once without the catalog, and in another process by one look at it")
    func memory() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            try fixture.keep("text", [.cacheControl: "max-age=60"])
            let release = try fixture.release
            func remembered(_ fixture: Fixture) throws -> CacheLookup? {
                fixture.cache.remembered(Fixture.request(), key: Fixture.url, under: try fixture.release)
            }
            #expect(try remembered(fixture)?.variant?.body?.array == Array("text".utf8))
            await fixture.cache.flush()
            #expect(try remembered(fixture)?.variant?.body?.array == Array("text".utf8))
            let other = try Fixture(in: directory)
            #expect(try remembered(other) == nil)
            let found = await other.cache.lookUp(Fixture.request(), key: Fixture.url, under: release)
            #expect(found.variant?.body?.array == Array("text".utf8))
            #expect(try remembered(other)?.variant != nil)
        }
    }

    @Test("without room in memory responses are found in the catalog")
    func noMemory() async throws {
        try await withTemporaryDirectory { directory in
            do { try Fixture(in: directory).keep("text", [.cacheControl: "max-age=60"]) }
            let fixture = try Fixture(in: directory, memory: 0)
            for _ in 1...2 { #expect(try fixture.text() == "text") }
            #expect(fixture.cache.memory.size.count == 0)
            try fixture.keep("new", [.cacheControl: "max-age=60"])
            #expect(try fixture.text() == "new")
            await fixture.cache.flush()
            #expect(try fixture.text() == "new")
        }
    }

    @Test("what isn't stored is known without the catalog after the first look-up")
    func absence() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let release = try fixture.release
            #expect(fixture.cache.remembered(Fixture.request(), key: Fixture.url, under: release) == nil)
            _ = await fixture.cache.lookUp(Fixture.request(), key: Fixture.url, under: release)
            guard case .nothing? = fixture.cache.remembered(Fixture.request(), key: Fixture.url, under: release) else {
                Issue.record("the absence isn't known")
                return
            }
            // Another process stores it meanwhile.
            let other = try Fixture(in: directory)
            try other.keep("text", [.cacheControl: "max-age=60"])
            await other.cache.flush()
            try fixture.store.refresh()
            #expect(try fixture.text() == "text")
        }
    }

    @Test("of the variants of one URL the latest 32 are kept, and a look-up reads the one that it needs")
    func variants() async throws {
        try await withTemporaryDirectory { directory in
            let fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "User-Agent"]
            do {
                let fixture = try Fixture(in: directory)
                for number in 1...400 {
                    try fixture.keep("\(number)", fields, request: [.userAgent: "agent \(number)"])
                }
                #expect(try fixture.store.cachedResponses().count == 32)
                #expect(try fixture.text([.userAgent: "agent 400"]) == "400")
                #expect(try fixture.text([.userAgent: "agent 1"]) == nil)
            }
            let fixture = try Fixture(in: directory)
            #expect(try fixture.text([.userAgent: "agent 400"]) == "400")
            let one = fixture.cache.memory.size.byteCount
            for number in 369..<400 { #expect(try fixture.text([.userAgent: "agent \(number)"]) == "\(number)") }
            #expect(fixture.cache.memory.size.byteCount > one + 31 * 500)
        }
    }

    @Test(
        "a response is revoked when it is replaced, invalidated, cleared by any process, or its release is superseded"
    )
    func revoked() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            func kept() throws -> CachedVariant {
                try #require(try fixture.keep("text", [.cacheControl: "max-age=60"]))
            }
            let first = try kept()
            let second = try kept()
            #expect(first.validity.isRevoked && !second.validity.isRevoked)
            fixture.cache.invalidate([Fixture.url], under: try fixture.release)
            #expect(second.validity.isRevoked)
            #expect(try fixture.text() == nil)
            #expect(try fixture.store.cachedResponses().isEmpty)
            let third = try kept()
            try fixture.store.clearCache()
            #expect(third.validity.isRevoked)
            #expect(try fixture.text() == nil)
            let fourth = try kept()
            await fixture.cache.flush()
            let other = try BundleStore(at: directory.path)
            try other.clearCache()
            try fixture.store.refresh()
            #expect(fourth.validity.isRevoked)
            #expect(try fixture.text() == nil)
            let fifth = try kept()
            try fixture.store.install(try BundleManifest.sample("shop", "1.1.0"), files: ["index.html": ""])
            #expect(try fixture.text() == nil)
            #expect(fifth.validity.isRevoked)
            try fixture.store.rollBack(BundleName("shop"))
            #expect(try fixture.text() == nil)
        }
    }

    @Test("a response stands while other responses are stored, and while another process stores some")
    func standing() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let kept = try #require(try fixture.keep("text", [.cacheControl: "max-age=60"]))
            await fixture.cache.flush()
            let other = try Fixture(in: directory)
            _ = other.cache.keep(
                other.exchange([.cacheControl: "max-age=60"]),
                key: "other",
                body: other.store.beginCachedBody(),
                under: try other.release
            )
            await other.cache.flush()
            try fixture.store.refresh()
            #expect(!kept.validity.isRevoked)
        }
    }

    @Test("when the disk is slow, responses aren't kept rather than making anyone wait", .timeLimit(.minutes(5)))
    func slowDisk() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let body = [UInt8](repeating: 1, count: 60_000)
            // A disk that takes nothing meanwhile.
            fixture.store.cache.writer.queue.suspend()
            let kept = Result {
                try (0..<400).filter { number in
                    let writer = fixture.cache.beginBody()
                    try writer.append(body)
                    let exchange = fixture.exchange([.cacheControl: "max-age=60"])
                    let release = try fixture.release
                    return fixture.cache.keep(exchange, key: "\(number)", body: writer, under: release) != nil
                }.count
            }
            fixture.store.cache.writer.queue.resume()
            let keptCount = try kept.get()
            // 16 MiB wait at most.
            #expect((200..<300).contains(keptCount))
            #expect(try fixture.store.cachedResponses().count == keptCount)
        }
    }

    @Test("a copy of the store at any moment has a response as it was kept, or not at all")
    func copies() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let long = [UInt8](repeating: 7, count: 100_000)
            for number in 0..<20 {
                for (key, body) in [("short", Array("\(number)".utf8)), ("long", long)] {
                    let writer = fixture.cache.beginBody()
                    try writer.append(body)
                    let exchange = fixture.exchange([.cacheControl: "max-age=60"])
                    _ = fixture.cache.keep(exchange, key: "\(key) \(number)", body: writer, under: try fixture.release)
                }
                if number % 3 == 0 { await fixture.cache.flush() }
                let copy = directory.path + "-\(number)"
                // Between two transactions: what SQLite writes while its files are copied one by one, no copy has whole.
                fixture.store.cache.writer.queue.suspend()
                let copying = Result { try FileManager.default.copyItem(atPath: directory.path, toPath: copy) }
                fixture.store.cache.writer.queue.resume()
                try copying.get()
                defer { try? FileManager.default.removeItem(atPath: copy) }
                let store = try BundleStore(at: copy)
                #expect(try store.verify().isEmpty)
                let count = try store.cachedResponses().count
                #expect((2 * (number / 3 * 3 + 1)...2 * (number + 1)).contains(count))
            }
        }
    }
}
