import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("Parts of a response in the store")
struct PartialResponseTests {
    private struct Fixture {
        static let url = "https://m.example.com/shop/film.mp4"
        static let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""1""#, .contentRange: "bytes 0-9/*"]
        let store: BundleStore
        let cache: ResponseCache
        let release: Release

        init(in directory: TemporaryDirectory) throws {
            store = try BundleStore(at: directory.path, creating: true, now: TestClock().read)
            if store.snapshot.bundles.isEmpty {
                try store.install(try BundleManifest.sample(), files: ["index.html": ""])
            }
            cache = ResponseCache(store: store, policy: CachePolicy(isShared: false), maximumByteCount: 1 << 30)
            release = try #require(store.snapshot.sortedBundles.first?.active)
        }

        static let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "m.example.com",
            path: "/shop/film.mp4"
        )

        @discardableResult
        func keep(
            _ bytes: [UInt8],
            at offset: Int64,
            of length: Int64? = 300_000,
            tag: String = #""1""#
        ) throws -> CachedVariant? {
            var fields = Self.fields
            fields[.eTag] = tag
            let exchange = OriginExchange(
                url: Self.url,
                request: Self.request,
                requestTime: Date(timeIntervalSince1970: 1_000_000),
                response: HTTPResponse(status: .partialContent, headerFields: fields),
                responseTime: Date(timeIntervalSince1970: 1_000_000)
            )
            let writer = cache.beginBody()
            try writer.append(bytes)
            return cache.keepPart(
                exchange,
                key: Self.url,
                range: offset..<offset + Int64(bytes.count),
                completeLength: length,
                body: writer,
                under: release
            )
        }

        func stored() -> CachedVariant? {
            cache.lookUpWaiting(Self.request, key: Self.url, under: release).variant
        }
    }

    /// Bytes of the representation.
    private static func bytes(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 / 7) } }

    private static func joined(_ slices: [ByteSlice]?) -> [UInt8]? { slices?.flatMap(\.array) }

    @Test("are found again by the same process and by another, and a gap between them isn't stored")
    func gap() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let fixture = try Fixture(in: directory)
                try fixture.keep(Self.bytes(0..<10), at: 0)
                try fixture.keep(Self.bytes(100_000..<200_000), at: 100_000)
                #expect(try directory.snapshot(of: "cache").files.count == 1)
            }
            let variant = try #require(try Fixture(in: directory).stored())
            #expect(variant.response.status == 206 && !variant.isComplete && variant.body == nil)
            #expect(variant.response.fields[.contentRange] == nil)
            #expect(variant.completeLength == 300_000)
            #expect(variant.parts.map(\.range) == [0..<10, 100_000..<200_000])
            #expect(Self.joined(variant.slices(in: 3..<9)) == Self.bytes(3..<9))
            #expect(Self.joined(variant.slices(in: 199_990..<200_000)) == Self.bytes(199_990..<200_000))
            #expect(variant.slices(in: 5..<11) == nil && variant.slices(in: 99_999..<100_001) == nil)
        }
    }

    @Test("are combined where they meet or overlap, and are complete once nothing is missing")
    func combined() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let ranges = [0..<100_000, 250_000..<300_000, 90_000..<110_000, 100_000..<251_000]
            for range in ranges {
                let first = try fixture.keep(Self.bytes(range), at: Int64(range.lowerBound))
                #expect(first?.isComplete == (range == ranges.last))
            }
            for fixture in [fixture, try Fixture(in: directory)] {
                await fixture.cache.flush()
                let variant = try #require(fixture.stored())
                #expect(variant.isComplete)
                #expect(
                    Self.joined(variant.slices(in: 0..<300_000)).map { Digest(of: $0) }
                        == Digest(of: Self.bytes(0..<300_000))
                )
            }
        }
    }

    @Test("that a new one covers are dropped with their bytes")
    func covered() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            try fixture.keep(Self.bytes(0..<100_000), at: 0)
            try fixture.keep(Self.bytes(120_000..<120_010), at: 120_000)
            try fixture.keep(Self.bytes(0..<200_000), at: 0)
            await fixture.cache.flush()
            #expect(try fixture.store.cachedResponses().map(\.byteCount) == [200_000])
            #expect(try directory.snapshot(of: "cache").files.count == 1)
            #expect(fixture.stored()?.parts.map(\.range) == [0..<200_000])
            #expect(try fixture.store.verify().isEmpty)
        }
    }

    @Test(
        "of another representation replace those that are stored",
        arguments: [(#""2""#, 300_000), (#""1""#, 299_999)]
    )
    func otherRepresentation(_ tag: String, _ length: Int64) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            let first = try fixture.keep(Self.bytes(0..<10), at: 0)
            try fixture.keep(Self.bytes(10..<20), at: 10, of: length, tag: tag)
            #expect(fixture.stored()?.parts.map(\.range) == [10..<20])
            #expect(first?.validity.isRevoked == true)
            #expect(try fixture.store.cachedResponses().count == 1)
        }
    }

    @Test("are at most 127, and the shortest go")
    func bounded() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            try fixture.keep([1], at: 0)
            for number in 1...140 { try fixture.keep([1, 2], at: Int64(number) * 100) }
            await fixture.cache.flush()
            let variant = try #require(try Fixture(in: directory).stored())
            #expect(variant.parts.count == 127)
            #expect(variant.parts.allSatisfy { $0.content.count == 2 })
        }
    }

    @Test(
        "that are no range of the representation aren't kept",
        arguments: [(-5, 300_000), (0, 5), (299_999, 300_000)]
    )
    func refused(_ offset: Int64, _ length: Int64) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(in: directory)
            #expect(try fixture.keep(Self.bytes(0..<10), at: offset, of: length) == nil)
            #expect(try fixture.store.cachedResponses().isEmpty)
            #expect(try directory.snapshot(of: "incoming").files.isEmpty)
        }
    }
}
