import BundleTesting
import NIOCore
import Testing

@testable import BundleServer
@testable import ServerCore

@Suite("A flood of HTTP/2 frames")
struct HTTP2FloodTests {
    /// Frames that a client can send for as long as it likes.
    enum Flood: CaseIterable {
        /// CVE-2023-44487.
        case requestsThatAreReset
        /// CVE-2025-8671.
        case requestsThatTheServerMustReset
        /// CVE-2019-9515.
        case settings
        /// CVE-2019-9512.
        case pings
        /// CVE-2019-9518.
        case emptyContent
        /// CVE-2019-9513.
        case priorities

        /// The frames before the flood.
        var start: [HTTP2Frame] {
            guard self == .emptyContent else { return [] }
            return [.headers(HTTP2Frame.request("POST", "/shop/app.js"), stream: 1, isEnd: false)]
        }

        func frames(_ stream: UInt32) -> [HTTP2Frame] {
            switch self {
            case .requestsThatAreReset: [.get("/shop/app.js", stream: stream), .reset(stream)]
            case .requestsThatTheServerMustReset:
                [.headers([(":method", "GET")], stream: stream)]
            case .settings: [.settings()]
            case .pings: [HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8))]
            case .emptyContent: [.data([], stream: 1)]
            case .priorities: [HTTP2Frame(.priority, stream: stream, [0, 0, 0, 0, 1])]
            }
        }
    }

    @Test(
        "that causes work without requests ends the connection with ENHANCE_YOUR_CALM (RFC 9113 §10.5)",
        arguments: Flood.allCases
    )
    func control(_ flood: Flood) async throws {
        try await expectEnd(flood.start + (0..<3_000).flatMap { flood.frames(UInt32($0 * 2 + 1)) })
    }

    @Test("of pieces of one head ends the connection (CVE-2024-27316)")
    func continuation() async throws {
        let pieces = (0..<3_000).map { HTTP2Frame(.continuation, stream: 1, HTTP2Frame.block([("a\($0)", "b")])) }
        let start = HTTP2Frame(.headers, flags: 1, stream: 1, HTTP2Frame.block([(":method", "GET")]))
        try await expectEnd([start] + pieces)
    }

    @Test(
        "of fields gets 431, and the connection stays open (RFC 6585 §5, RFC 9113 §10.5.1)",
        arguments: [(129, 1), (5, 15_000)]
    )
    func fields(_ count: Int, _ length: Int) async throws {
        let value = String(repeating: "a", count: length)
        let block = HTTP2Frame.block(
            HTTP2Frame.request("GET", "/shop/app.js") + (0..<count).map { ("field-\($0)", value) }
        )
        let parts = stride(from: 0, to: block.count, by: 16_000).map {
            Array(block[$0..<min($0 + 16_000, block.count)])
        }
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

    @Test(
        "of requests is refused, and earlier ones get responses; a client that goes on is cut off",
        arguments: [false, true]
    )
    func requests(_ goesOn: Bool) async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, configure: { $0.limits.requestsPerSecond = 1 }) { endpoint in
                try await withHTTP2Client(to: endpoint.port, [4: 2]) { client in
                    try await client.send([1, 3, 5].map { .get("/shop/app.js", stream: $0) })
                    let resets = [try await client.frame(.resetStream), try await client.frame(.resetStream)]
                    #expect(resets.map(\.stream) == [3, 5])
                    #expect(resets.map(\.errorCode) == [11, 11])
                    // No error, and the last request that gets a response.
                    #expect(try await client.frame(.goAway).payload == [0, 0, 0, 1, 0, 0, 0, 0])
                    if goesOn {
                        try? await client.send((0..<3_000).map { .get("/shop/app.js", stream: UInt32($0 * 2 + 7)) })
                        #expect(try await client.rest().last?.goAwayCode == 11)
                    } else {
                        try await client.send(.windowUpdate(9, stream: 1))
                        #expect(try await client.response(on: 1).text == "run()")
                        #expect(try await client.rest().allSatisfy { $0.stream == 0 })
                    }
                }
            }
        }
    }

    @Test("is accepted when it is slow enough")
    func rate() {
        var bucket = TokenBucket(capacity: 2, tokensPerSecond: 10)
        // Milliseconds; the clock is set back at the end, which adds no tokens.
        let takes: [(at: Int64, isThere: Bool)] = [
            (0, true), (0, true), (90, false), (110, true), (120, false), (3_600_000, true), (3_600_000, true),
            (3_600_000, false), (0, false),
        ]
        for take in takes {
            let isThere = bucket.take(at: .uptimeNanoseconds(1_000_000_000) + .milliseconds(take.at))
            #expect(isThere == take.isThere, "at \(take.at) ms")
        }
    }

    private func expectEnd(_ frames: [HTTP2Frame]) async throws {
        try await withClient { client in
            // The server may have closed the connection before all is sent.
            try? await client.send(frames)
            let last = try await client.rest().last
            #expect(last?.kind == HTTP2Frame.Kind.goAway.rawValue)
            #expect(last?.goAwayCode == 11)
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
