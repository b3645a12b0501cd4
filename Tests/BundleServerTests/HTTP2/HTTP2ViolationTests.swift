import BundleTesting
import Testing

@testable import BundleServer

@Suite("A violation of HTTP/2")
struct HTTP2ViolationTests {
    private static let pseudo = HTTP2Frame.request("GET", "/shop/app.js")

    @Test(
        "in one request ends its stream with PROTOCOL_ERROR, and the connection stays open (RFC 9113 §8.1.1)",
        arguments: [
            ("no path, §8.3.1", pseudo.filter { $0.0 != ":path" }),
            ("no method, §8.3.1", pseudo.filter { $0.0 != ":method" }),
            ("no scheme, §8.3.1", pseudo.filter { $0.0 != ":scheme" }),
            ("no host, §8.3.1", pseudo.filter { $0.0 != ":authority" }),
            ("an empty path, §8.3.1", HTTP2Frame.request("GET", "")),
            ("a path without a slash, §8.3.1", HTTP2Frame.request("GET", "shop")),
            ("a path twice, §8.3", pseudo + [(":path", "/shop/app.js")]),
            ("an unknown field with a colon, §8.3", pseudo + [(":version", "2")]),
            ("a response's field, §8.3", pseudo + [(":status", "200")]),
            ("a field with a colon after others, §8.3", [("a", "b")] + pseudo),
            ("a name in capitals, §8.2.1", pseudo + [("Accept", "*/*")]),
            ("a space in a name, §8.2.1", pseudo + [("a b", "c")]),
            ("a line break in a value, §8.2.1", pseudo + [("a", "b\r\nc: d")]),
            ("a zero byte in a value, §8.2.1", pseudo + [("a", "b\0c")]),
            ("Connection, §8.2.2", pseudo + [("connection", "keep-alive")]),
            ("Keep-Alive, §8.2.2", pseudo + [("keep-alive", "1")]),
            ("Transfer-Encoding, §8.2.2", pseudo + [("transfer-encoding", "chunked")]),
            ("Upgrade, §8.2.2", pseudo + [("upgrade", "h2c")]),
            ("TE with a coding, §8.2.2", pseudo + [("te", "gzip")]),
            ("a length without content, §8.1.1", pseudo + [("content-length", "5")]),
            ("two lengths, §8.1.1", pseudo + [("content-length", "0"), ("content-length", "0")]),
        ] as [(String, [(String, String)])]
    )
    func malformedRequest(_ violation: String, _ fields: [(String, String)]) async throws {
        try await withClient { client in
            try await client.send(.headers(fields, stream: 1))
            let reset = try await client.frame(on: 1)
            #expect(reset.kind == HTTP2Frame.Kind.resetStream.rawValue)
            #expect(reset.errorCode == 1)
            #expect(try await client.get("/shop/app.js", stream: 3).text == "run()")
        }
    }

    private static let amplifyingBlock: [UInt8] =
        [0x40, 1, UInt8(ascii: "a"), 0x7F, 0xA1, 0x1E] + [UInt8](repeating: UInt8(ascii: "b"), count: 4_000)
        + [UInt8](repeating: 0xBE, count: 2_000)

    @Test(
        "in the frames ends the connection with GOAWAY that says why (RFC 9113 §5.4.1)",
        arguments: [
            (
                "a field that HPACK's tables don't have, §4.3", 9,
                [HTTP2Frame(.headers, flags: 5, stream: 1, [0xFF, 0x7F])]
            ),
            ("a truncated block, §4.3", 9, [HTTP2Frame(.headers, flags: 5, stream: 1, [0, 9, 1])]),
            ("an even stream, §5.1.1", 1, [.get("/", stream: 2)]),
            ("a reused stream, §5.1", 5, [.get("/", stream: 1), .get("/", stream: 1)]),
            ("content before a request, §5.1", 1, [.data([1], stream: 1)]),
            ("a reset before a request, §6.4", 1, [.reset(1)]),
            ("a continuation without a block, §6.10", 1, [HTTP2Frame(.continuation, flags: 4, stream: 1, [])]),
            (
                "a frame in the middle of a block, §4.3", 1,
                [HTTP2Frame(.headers, flags: 1, stream: 1, []), HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8))]
            ),
            ("fields on stream 0, §6.2", 1, [.get("/", stream: 0)]),
            ("settings of seven bytes, §6.5", 6, [HTTP2Frame(.settings, [UInt8](repeating: 0, count: 7))]),
            ("settings on a stream, §6.5", 1, [HTTP2Frame(.settings, stream: 1)]),
            ("a window that is too large, §6.5.2", 3, [.settings([4: 1 << 31])]),
            ("a frame size that is too small, §6.5.2", 1, [.settings([5: 1])]),
            ("a PING of seven bytes, §6.7", 6, [HTTP2Frame(.ping, [UInt8](repeating: 0, count: 7))]),
            ("an empty update of the window, §6.9", 1, [.windowUpdate(0)]),
            ("a window that overflows, §6.9.1", 3, [.windowUpdate(0x7FFF_FFFF)]),
            ("a push, §8.4", 1, [HTTP2Frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2])]),
            // A field of 8,000 bytes enters the table without being kept here, and then each byte of the block stands
            // for it.
            (
                "a block of far more than the limit, RFC 7541 §7.3", 11,
                [HTTP2Frame(.headers, flags: 5, stream: 1, amplifyingBlock)]
            ),
            ("a frame that is too long, §4.2", 6, [HTTP2Frame(.ping, [UInt8](repeating: 0, count: 16_385))]),
        ] as [(String, UInt32, [HTTP2Frame])]
    )
    func brokenConnection(_ violation: String, _ code: UInt32, _ frames: [HTTP2Frame]) async throws {
        try await withClient { client in
            try await client.send(frames)
            let last = try await client.rest().last
            #expect(last?.kind == HTTP2Frame.Kind.goAway.rawValue)
            #expect(last?.goAwayCode == code)
        }
    }

    @Test(
        "that may be ignored changes nothing",
        arguments: [
            // A client may send it on a stream that was reset meanwhile.
            ("a stream that is lower than the last, §5.1.1", [.get("/", stream: 5), .get("/", stream: 3)]),
            ("a frame of an unknown kind, §5.5", [HTTP2Frame(0xEE, flags: 0xFF, stream: 1, [1, 2, 3])]),
            ("an unknown setting, §6.5.2", [.settings([0xEEEE: 7])]),
            ("a stream that depends on itself, §5.3.2", [HTTP2Frame(.priority, stream: 1, [0, 0, 0, 1, 16])]),
            (
                "a PING's acknowledgement without a PING, §6.7",
                [HTTP2Frame(.ping, flags: 1, [UInt8](repeating: 0, count: 8))]
            ),
        ] as [(String, [HTTP2Frame])]
    )
    func ignored(_ oddity: String, _ frames: [HTTP2Frame]) async throws {
        try await withClient { client in
            try await client.send(frames)
            #expect(try await client.get("/shop/app.js", stream: 7).text == "run()")
        }
    }

    @Test(
        "bytes that aren't frames end the connection and nothing else",
        arguments: [0x00, 0x16, 0x41, 0xFF] as [UInt8]
    )
    func noise(_ byte: UInt8) async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection in
                    try await connection.send(HTTP2Frame.preface + [UInt8](repeating: byte, count: 40_000))
                    _ = try? await connection.rest()
                }
                #expect(try await endpoint.get("/shop/app.js").status == 200)
            }
        }
    }

    private func withClient(_ body: (HTTP2Client) async throws -> Void) async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store) { endpoint in
                try await withHTTP2Client(to: endpoint.port) { try await body($0) }
            }
        }
    }
}
