import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("Responses in the store")
struct ResponseCacheTests {
    private struct Fixture {
        static let url = "https://m.example.com/shop/x"
        let clock = TestClock()
        let store: BundleStore
        let cache: ResponseCache

        init(in directory: TemporaryDirectory) throws {
            store = try BundleStore(at: directory.path, creating: true, now: clock.read)
            try store.install(try BundleManifest.sample(), files: ["index.html": ""])
            cache = ResponseCache(store: store, policy: CachePolicy(isShared: true), maximumByteCount: 100)
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
        try await withMetadata { _ in Array(metadata.utf8) } _: { fixture in
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
            guard
                case .stored(let representation, _) = await fallback.respond(
                    to: Fixture.request(),
                    url: Fixture.url,
                    under: try fixture.release
                )
            else {
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
}
