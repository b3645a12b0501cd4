import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("HTTP/2 at the endpoint")
struct HTTP2Tests {
    @Test(
        "has the same responses as HTTP/1.1",
        arguments: [
            ("GET", "/shop/app.js", [:]), ("HEAD", "/shop/app.js", [:]), ("GET", "/shop/", [:]),
            ("GET", "/shop/folder", [:]), ("GET", "/nothing", [:]), ("GET", "/shop/nothing", [:]),
            ("OPTIONS", "/shop/app.js", [:]), ("OPTIONS", "*", [:]), ("PUT", "/shop/app.js", [:]),
            ("GET", "/shop/app.js", ["range": "bytes=1-2"]), ("GET", "/shop/app.js", ["range": "bytes=0-0,2-3"]),
            ("GET", "/shop/app.js", ["range": "bytes=9-"]), ("GET", "/shop/app.js", ["if-match": "\"x\""]),
            ("GET", "/shop/nowhere", ["accept": "text/html"]),
        ] as [(String, String, [String: String])]
    )
    func sameAsHTTP1(_ method: String, _ path: String, _ fields: [String: String]) async throws {
        try await withShop { endpoint in
            let lines = fields.map { "\($0.key): \($0.value)" }
            let expected = try await endpoint.request("\(method) \(path) HTTP/1.1", ["Host: localhost"] + lines)
            try await withHTTP2Client(to: endpoint.port) { client in
                let request = HTTP2Frame.request(method, path) + fields.map { ($0.key, $0.value) }
                // The second time it may be a ready response.
                for stream: UInt32 in [1, 3] {
                    try await client.send(.headers(request, stream: stream))
                    let response = try await client.response(on: stream)
                    #expect(response.status == expected.status)
                    #expect(response.comparable == expected.comparable)
                    #expect(response["date"]?.hasSuffix(" GMT") == true)
                    #expect(response.length == expected.length)
                }
            }
        }
    }

    @Test("a validator gets 304 each time, and a new version gets the new content")
    func validators() async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, clock: ContinuousClock()) { endpoint in
                try await withHTTP2Client(to: endpoint.port) { client in
                    let tag = try await client.get("/shop/app.js", stream: 1)["etag"] ?? ""
                    for stream: UInt32 in [3, 5] {
                        let response = try await client.get("/shop/app.js", stream: stream, [("if-none-match", tag)])
                        #expect(response.status == 304)
                        #expect(response.body.isEmpty)
                    }
                    try store.installShop("1.1.0", script: "run(2)")
                    var stream: UInt32 = 7
                    while try await client.get("/shop/app.js", stream: stream, [("if-none-match", tag)]).text
                        != "run(2)"
                    {
                        stream += 2
                    }
                }
            }
        }
    }

    @Test("128 concurrent requests all get complete responses")
    func concurrency() async throws {
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        try await withStore { store in
            try store.installBig(content, "1.0.0")
            try await withEndpoint(store) { endpoint in
                try await withHTTP2Client(to: endpoint.port) { client in
                    let streams = (0..<128).map { UInt32($0 * 2 + 1) }
                    try await client.send(.windowUpdate(64 << 20))
                    try await client.send(streams.map { .get("/big/big.bin", stream: $0) })
                    for stream in streams {
                        let response = try await client.response(on: stream)
                        #expect(response.body == content)
                    }
                }
            }
        }
    }

    @Test("a request beyond the limit of concurrent ones is refused, and may be retried (RFC 9113 §5.1.2)")
    func tooManyStreams() async throws {
        try await withStore { store in
            try store.installBig([UInt8](repeating: 1, count: 1 << 20), "1.0.0")
            try await withEndpoint(store) { endpoint in
                // No content can be sent, so no response is completed.
                try await withHTTP2Client(to: endpoint.port, [4: 0]) { client in
                    try await client.send((0...128).map { .get("/big/big.bin", stream: UInt32($0 * 2 + 1)) })
                    let refusal = try await client.frame(.resetStream)
                    #expect(refusal.stream == 257)
                    #expect(refusal.errorCode == 7)
                }
            }
        }
    }

    @Test("content waits for the client's window, to the byte (RFC 9113 §5.2)")
    func window() async throws {
        try await withShop { endpoint in
            try await withHTTP2Client(to: endpoint.port, [4: 2]) { client in
                try await client.send(.get("/shop/app.js", stream: 1))
                let head = try await client.head(on: 1)
                #expect(head.response["content-length"] == "5")
                #expect(try await client.frame(on: 1).payload == Array("ru".utf8))
                try await client.send(.windowUpdate(1, stream: 1))
                #expect(try await client.frame(on: 1).payload == Array("n".utf8))
                try await client.send(.windowUpdate(9, stream: 1))
                let last = try await client.frame(on: 1)
                #expect(last.payload == Array("()".utf8))
                #expect(last.isEnd)
            }
        }
    }

    @Test("a response of which the client takes nothing is reset, and the connection stays open")
    func stalled() async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, configure: { $0.limits.writeStall = .milliseconds(200) }) { endpoint in
                try await withHTTP2Client(to: endpoint.port, [4: 0]) { client in
                    try await client.send(.get("/shop/app.js", stream: 1))
                    _ = try await client.head(on: 1)
                    var stream: UInt32 = 3
                    var reset: HTTP2Frame?
                    while reset == nil {
                        try await client.send(.headers(HTTP2Frame.request("HEAD", "/shop/app.js"), stream: stream))
                        let frame = try await client.frame { $0.stream == stream || $0.stream == 1 }
                        if frame.stream == 1 { reset = frame } else { stream += 2 }
                    }
                    #expect(reset?.kind == HTTP2Frame.Kind.resetStream.rawValue)
                    #expect(reset?.errorCode == 8)
                }
            }
        }
    }

    @Test(
        "a target that isn't ASCII, or has a fragment, is refused, not read as another one (RFC 3986 §2)",
        arguments: ["é", "\u{FFFD}", "#a"]
    )
    func targetBytes(_ name: String) async throws {
        try await withShop { endpoint in
            try await withHTTP2Client(to: endpoint.port) { client in
                #expect(try await client.get("/shop/\(name)", stream: 1).status == 400)
                let path = Array("/shop/".utf8) + [0xFF]
                let fields = HTTP2Frame.request("GET", "").dropLast()
                let block = HTTP2Frame.block(Array(fields)) + [0, 5] + Array(":path".utf8) + [UInt8(path.count)] + path
                try await client.send(HTTP2Frame(.headers, flags: 5, stream: 3, block))
                #expect(try await client.response(on: 3).status == 400)
            }
        }
    }

    @Test("an idle connection is closed with GOAWAY after the idle time")
    func idle() async throws {
        try await withStore { store in
            try await withEndpoint(store, configure: { $0.limits.idle = .seconds(2) }) { endpoint in
                try await withHTTP2Client(to: endpoint.port) { client in
                    let last = try await client.rest().last
                    #expect(last?.kind == HTTP2Frame.Kind.goAway.rawValue)
                    #expect(last?.goAwayCode == 0)
                }
            }
        }
    }

    @Test("the preface may arrive in pieces; input that only begins like it is HTTP/1 (RFC 9113 §3.4)")
    func preface() async throws {
        try await withShop { endpoint in
            try await withRawConnection(to: endpoint.port) { connection in
                for byte in HTTP2Frame.preface { try await connection.send([byte]) }
                let client = try HTTP2Client(connection)
                try await client.send(.settings())
                #expect(try await client.get("/shop/app.js", stream: 1).text == "run()")
            }
            let response = try await endpoint.request("PRI * HTTP/2.0", ["Host: localhost"])
            #expect(response.status == 505)
            try await withRawConnection(to: endpoint.port) { connection in
                try await connection.send("P")
                try await connection.send("OST /shop/app.js HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                #expect(try await connection.response().status == 504)
            }
        }
    }

    @Test("content of a request is discarded; too much of it resets the stream after the response (RFC 9113 §8.1)")
    func requestContent() async throws {
        try await withShop { endpoint in
            try await withHTTP2Client(to: endpoint.port) { client in
                try await client.send(.headers(HTTP2Frame.request("POST", "/shop/app.js"), stream: 1, isEnd: false))
                #expect(try await client.response(on: 1).status == 504)
                let half = HTTP2Frame.data([UInt8](repeating: 1, count: 16_384), stream: 1)
                for _ in 0..<32 {
                    try await client.send(half, half)
                    // Half of the stream's window, which the server then opens again.
                    _ = try await client.frame { $0.kind == HTTP2Frame.Kind.windowUpdate.rawValue && $0.stream == 1 }
                }
                try await client.send(half, half)
                let end = try await client.frame(.resetStream)
                #expect(end.stream == 1)
                #expect(end.errorCode == 0)
                try await client.send(.headers(HTTP2Frame.request("POST", "/shop/app.js"), stream: 3, isEnd: false))
                try await client.send(.data([1], stream: 3), .headers([("a", "b")], stream: 3))
                #expect(try await client.response(on: 3).status == 504)
                #expect(try await client.get("/shop/app.js", stream: 5).text == "run()")
            }
        }
    }

    @Test("a host is that of :authority or of Host, and must be the same in both (RFC 9113 §8.3.1)")
    func hosts() async throws {
        try await withShop { endpoint in
            try await withHTTP2Client(to: endpoint.port) { client in
                let bare = [(":method", "GET"), (":scheme", "http"), (":path", "/shop/app.js")]
                try await client.send(.headers(bare + [("host", "localhost")], stream: 1))
                #expect(try await client.response(on: 1).status == 200)
                let statuses = [("LOCALHOST", 200), ("evil.example", 400), ("localhost:80", 400)]
                for (index, (host, status)) in statuses.enumerated() {
                    let stream = UInt32(index * 2 + 3)
                    #expect(try await client.get("/shop/app.js", stream: stream, [("host", host)]).status == status)
                }
                let foreign = HTTP2Frame.request("GET", "/shop/app.js", host: "evil.example")
                try await client.send(.headers(foreign, stream: 9))
                #expect(try await client.response(on: 9).status == 421)
            }
        }
    }

    private func withShop(_ body: (RunningEndpoint) async throws -> Void) async throws {
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store) { try await body($0) }
        }
    }
}

extension RawResponse {
    /// The fields that two responses to the same request must share, in order.
    fileprivate var comparable: [String] {
        fields.filter { !["date", "content-type", "connection"].contains($0.name) }.map { "\($0.name): \($0.value)" }
    }

    fileprivate var length: Int { body.count }
}
