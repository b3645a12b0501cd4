import BundleTesting
import NIOCore
import Testing

@testable import BundleServer

@Suite("A flood of HTTP/2 frames")
struct HTTP2FloodTests {
    private static let ping = HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8))
    private static let start = HTTP2Frame(.headers, flags: 1, stream: 1, HTTP2Frame.block([(":method", "GET")]))

    @Test(
        "that makes work and gets nothing done ends the connection with ENHANCE_YOUR_CALM (RFC 9113 §10.5)",
        arguments: [
            ("requests that are reset at once, CVE-2023-44487", { .get("/shop/app.js", stream: $0) }, { .reset($0) }),
            (
                "requests that the server must reset, CVE-2025-8671", { .get("/shop/app.js", stream: $0) },
                { .windowUpdate(0, stream: $0) }
            ),
            ("settings, CVE-2019-9515", { _ in .settings() }, nil),
            ("PINGs, CVE-2019-9512", { _ in ping }, nil),
            ("empty content, CVE-2019-9518", { .data([], stream: min($0, 1)) }, nil),
            ("priorities, CVE-2019-9513", { HTTP2Frame(.priority, stream: $0, [0, 0, 0, 0, 1]) }, nil),
            ("unknown frames", { HTTP2Frame(0xEE, stream: $0) }, nil),
        ] as [(String, @Sendable (UInt32) -> HTTP2Frame, (@Sendable (UInt32) -> HTTP2Frame)?)]
    )
    func control(
        _ flood: String,
        _ first: @Sendable (UInt32) -> HTTP2Frame,
        _ second: (@Sendable (UInt32) -> HTTP2Frame)?
    ) async throws {
        let frames = (0..<3_000).flatMap { index in
            let stream = UInt32(index * 2 + 1)
            return [first(stream)] + (second.map { [$0(stream)] } ?? [])
        }
        let isAboutContent = flood.hasPrefix("empty content")
        let post = HTTP2Frame.headers(HTTP2Frame.request("POST", "/shop/app.js"), stream: 1, isEnd: false)
        try await expectEnd([isAboutContent ? [post] : [], frames].flatMap { $0 })
    }

    @Test("of pieces of one head ends the connection (CVE-2024-27316)")
    func continuation() async throws {
        let pieces = (0..<3_000).map { HTTP2Frame(.continuation, stream: 1, HTTP2Frame.block([("a\($0)", "b")])) }
        try await expectEnd([Self.start] + pieces)
    }

    @Test(
        "of fields gets 431, and the connection goes on (RFC 6585 §5, RFC 9113 §10.5.1)",
        arguments: [(129, 1), (5, 15_000)]
    )
    func fields(_ count: Int, _ length: Int) async throws {
        let value = String(repeating: "a", count: length)
        let block = HTTP2Frame.block(
            HTTP2Frame.request("GET", "/shop/app.js") + (0..<count).map { ("field-\($0)", value) }
        )
        let parts = stride(from: 0, to: block.count, by: 16_000).map { Array(block[$0..<min($0 + 16_000, block.count)]) }
        let frames = parts.enumerated().map { index, part in
            HTTP2Frame(
                index == 0 ? .headers : .continuation,
                flags: (index == 0 ? HTTP2Frame.endStream : 0) | (index == parts.count - 1 ? HTTP2Frame.endHeaders : 0),
                stream: 1,
                part
            )
        }
        try await withClient { client in
            try await client.send(frames)
            #expect(try await client.response(on: 1).status == 431)
            #expect(try await client.get("/shop/app.js", stream: 3).text == "run()")
        }
    }

    @Test("is let through when it comes slowly enough")
    func rate() {
        var bucket = TokenBucket(capacity: 2, tokensPerSecond: 10)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        #expect(bucket.take(at: start))
        #expect(bucket.take(at: start))
        #expect(!bucket.take(at: start + .milliseconds(90)))
        #expect(bucket.take(at: start + .milliseconds(110)))
        #expect(!bucket.take(at: start + .milliseconds(120)))
        #expect((0..<2).allSatisfy { _ in bucket.take(at: start + .seconds(3_600)) })
        #expect(!bucket.take(at: start + .seconds(3_600)))
        // A clock that goes back adds nothing.
        #expect(!bucket.take(at: start))
    }

    private func expectEnd(_ frames: [HTTP2Frame]) async throws {
        try await withClient { client in
            // The server may have closed the connection before all is sent.
            try? await client.send(frames)
            let last = try await client.rest().last
            #expect(last?.kind == HTTP2Frame.Kind.goAway.rawValue)
            #expect(last?.payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) } == 11)
        }
    }

    private func withClient(_ body: (HTTP2Client) async throws -> Void) async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store) { endpoint in
                try await withHTTP2Client(to: endpoint.port) { try await body($0) }
                #expect(try await endpoint.get("/shop/app.js").status == 200)
            }
        }
    }
}
