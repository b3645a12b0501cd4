import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import BundleServer

/// Bytes that two receivers could read in two ways, and slow clients.
@Suite("Raw bytes at the endpoint")
struct RawBytesTests {
    /// The reader: the loop that a connection begins in, or the channel that it migrates to.
    enum Reader: String, Sendable, CaseIterable {
        case loop
        case channel
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        /// The statuses of the responses, in order.
        let statuses: [Int]
        /// Whether the connection ends after them.
        let isLast: Bool

        init(_ name: String, _ bytes: String, _ statuses: [Int], isLast: Bool = false) {
            self.init(name, Array(bytes.utf8), statuses, isLast: isLast)
        }

        init(_ name: String, _ bytes: [UInt8], _ statuses: [Int], isLast: Bool = false) {
            (self.name, self.bytes, self.statuses, self.isLast) = (name, bytes, statuses, isLast)
        }

        var testDescription: String { name }
    }

    private static let host = "Host: localhost\r\n"
    static let plain = "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    static let unusual = "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1\r\n\r\n"

    static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\n\(host)\(fields)\r\n"
    }

    static func post(_ framing: String, _ content: String) -> String {
        "POST /shop/app.js HTTP/1.1\r\n\(host)\(framing)\r\n\(content)"
    }

    static let cases = [
        Case(
            "RFC 9112 §5.1: white space after a host isn't part of it",
            "GET /shop/app.js HTTP/1.1\r\nHost: localhost \t\r\n\r\nGET /shop/app.js HTTP/1.1\r\nHost:localhost\t\r\nRange: bytes=0-1\r\n\r\n",
            [200, 206]
        ),
        Case("RFC 9112 §3.2: a fragment isn't sent", get("/shop/app.js#a"), [400], isLast: true),
        Case(
            "RFC 9112 §3.2: nor after a query, far from the end",
            get("/shop/app.js?a=b#c/d/e/f/g"),
            [400],
            isLast: true
        ),
        Case(
            "RFC 9112 §9.3.2: pipelined requests get responses in order",
            plain + unusual + plain + plain,
            [200, 206, 200, 200]
        ),
        Case(
            "RFC 9112 §9.3.2: a hundred pipelined requests",
            String(repeating: plain, count: 100),
            Array(repeating: 200, count: 100)
        ),
        Case("RFC 9112 §2.2: empty lines before a request", "\r\n\r\n" + plain, [200]),
        Case(
            "RFC 9112 §9.6: no request after close gets a response",
            get("/shop/app.js", "Connection: close\r\n") + plain,
            [200],
            isLast: true
        ),
        Case("RFC 9110 §9.3.2: HEAD has no body", "HEAD /shop/app.js HTTP/1.1\r\n\(host)\r\n" + plain, [-200, 200]),
        Case(
            "RFC 9112 §6.3: content isn't a request",
            post("Content-Length: \(plain.utf8.count)\r\n", plain) + plain,
            [404, 200]
        ),
        Case(
            "RFC 9112 §6.3: a GET may have content",
            get("/shop/app.js", "Content-Length: 5\r\n") + "GET /" + plain,
            [200, 200]
        ),
        Case(
            "RFC 9112 §7.1: chunks aren't a request",
            post("Transfer-Encoding: chunked\r\n", "5\r\nGET /\r\n0\r\n\r\n") + plain,
            [404, 200]
        ),
        Case(
            "RFC 9112 §6.1: a length and chunks",
            post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n") + plain,
            [400],
            isLast: true
        ),
        Case(
            "RFC 9112 §6.1: another coding",
            post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
            [501],
            isLast: true
        ),
        Case(
            "RFC 9112 §6.3: two lengths",
            post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab") + plain,
            [400],
            isLast: true
        ),
        Case(
            "RFC 9112 §6.3: a length twice",
            post("Content-Length: 1\r\nContent-Length: 1\r\n", "a") + plain,
            [400],
            isLast: true
        ),
        Case("RFC 9112 §5.2: a folded line", get("/shop/app.js", "X: a\r\n b\r\n"), [400], isLast: true),
        Case(
            "RFC 9112 §5.1: a space before the colon",
            get("/shop/app.js", "Content-Length : 5\r\n"),
            [400],
            isLast: true
        ),
        Case("RFC 9112 §2.2: bare line feeds", "GET /shop/app.js HTTP/1.1\nHost: localhost\n\n", [400], isLast: true),
        Case("RFC 9112 §2.2: a bare carriage return", get("/shop/app.js", "X: a\rY: b\r\n"), [400], isLast: true),
        Case("RFC 9110 §5.5: NUL in a field", get("/shop/app.js", "X: a\0b\r\n"), [400], isLast: true),
        Case("RFC 9112 §3.2: NUL in the target", get("/shop/app.js\0"), [400], isLast: true),
        Case(
            "RFC 9112 §3.2.2: a target's own host counts",
            "GET https://m.example.com/shop/app.js HTTP/1.1\r\nHost: evil.example\r\n\r\n" + plain,
            [200, 200]
        ),
        Case(
            "RFC 9112 §3.2.2: a target's own foreign host",
            "GET http://evil.example/shop/app.js HTTP/1.1\r\n\(host)\r\n" + plain,
            [421, 200]
        ),
        Case(
            "RFC 9110 §7.2: a foreign host",
            "GET /shop/app.js HTTP/1.1\r\nHost: evil.example\r\n\r\n" + plain,
            [421, 200]
        ),
        Case(
            "RFC 9110 §7.2: a host with a path",
            "GET /app.js HTTP/1.1\r\nHost: localhost/shop\r\n\r\n" + plain,
            [400],
            isLast: true
        ),
        Case(
            "RFC 9110 §9.3.2: HEAD with an invalid host has no content either",
            "HEAD /shop/app.js HTTP/1.1\r\nHost: localhost/shop\r\n\r\n" + plain,
            [-400],
            isLast: true
        ),
        Case(
            "RFC 9110 §7.2: a host with a query",
            "GET /shop/app.js HTTP/1.1\r\nHost: localhost?\r\n\r\n" + plain,
            [400],
            isLast: true
        ),
        Case(
            "RFC 9110 §7.8: another protocol may follow an upgrade",
            get("/shop/app.js", "Connection: Upgrade\r\nUpgrade: h2c\r\n") + plain,
            [200],
            isLast: true
        ),
        Case(
            "RFC 9110 §9.3.6: data for another server follows CONNECT",
            "CONNECT m.example.com:443 HTTP/1.1\r\nHost: m.example.com:443\r\n\r\n" + plain,
            [405],
            isLast: true
        ),
        Case(
            "RFC 9110 §2.5: a higher minor version is treated as the highest known",
            "GET /shop/app.js HTTP/1.2\r\n\(host)\r\n"
                + "GET /shop/app.js HTTP/1.9\r\n\(host)Range: bytes=0-1\r\n\r\n" + plain,
            [200, 206, 200]
        ),
        Case("RFC 3986 §2.1: an encoded NUL", get("/shop/app.js%00") + plain, [404, 200]),
        Case("RFC 3986 §2.1: half a sequence", get("/shop/app.js%2") + plain, [404, 200]),
        Case("RFC 3986 §5.2.4: encoded dots", get("/shop/%2e%2e/%2e%2e/etc/passwd") + plain, [404, 200]),
        Case("RFC 3986 §5.2.4: dots", get("/shop/../shop/app.js") + plain, [404, 200]),
        Case("RFC 3986 §5.2.4: half encoded dots", get("/shop/folder/.%2e/app.js") + plain, [404, 200]),
        Case("RFC 3986 §2.2: an encoded slash", get("/shop/folder%2Findex.html") + plain, [404, 200]),
        Case("a backslash", get("/shop/folder\\..\\app.js") + plain, [404, 200]),
        Case("an encoded backslash", get("/shop/..%5capp.js") + plain, [404, 200]),
        Case("RFC 3629 §3: overlong dots, encoded", get("/shop/%c0%ae%c0%ae/app.js") + plain, [404, 200]),
        Case(
            "RFC 3629 §3: an overlong slash, raw",
            Array("GET /shop/..".utf8) + [0xC0, 0xAF] + Array("app.js HTTP/1.1\r\n\(host)\r\n".utf8),
            [400],
            isLast: true
        ),
        Case("RFC 3986 §2.3: an encoded letter is the letter", get("/shop/%61pp.js") + plain, [200, 200]),
        Case("RFC 3986 §2: a letter outside ASCII, raw", get("/shop/é.js") + plain, [400], isLast: true),
        Case(
            "RFC 9110 §15.5.15: a long target",
            get("/shop/" + String(repeating: "a", count: 9_000)),
            [414],
            isLast: true
        ),
        Case(
            "RFC 6585 §5: a long field",
            get("/shop/", "X: \(String(repeating: "a", count: 40_000))\r\n"),
            [431],
            isLast: true
        ),
        Case("RFC 6585 §5: many fields", get("/shop/", String(repeating: "X: a\r\n", count: 101)), [431], isLast: true),
        Case("RFC 9110 §15.6.6: another version", "GET / HTTP/3.0\r\n\(host)\r\n", [505], isLast: true),
        Case("RFC 9112 §2.3: HTTP/0.9", "GET /shop/app.js\r\n\r\n", [400], isLast: true),
    ]

    @Test(
        "are served or refused by RFC 9112, and reach no origin in another reading",
        arguments: cases,
        Reader.allCases
    )
    func responded(_ row: Case, by reader: Reader) async throws {
        try await withEmptyOrigin { endpoint, origin in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                try await connection.send(row.bytes)
                for status in row.statuses {
                    let response = try await connection.response(toHead: status < 0)
                    #expect(response.status == abs(status))
                }
                if row.isLast { #expect(try await connection.rest().isEmpty) }
            }
            // What only an origin can respond to is passed on; nothing that was hidden in it is.
            #expect(Set(origin.urls).isSubset(of: ["/shop/app.js"]))
        }
    }

    @Test("reach the origin as they are", arguments: Reader.allCases)
    func forwarded(_ reader: Reader) async throws {
        try await withEmptyOrigin { endpoint, origin in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                // RFC 3986 §2.4: text that is encoded twice is decoded once.
                try await connection.send(Self.get("/shop/%2561pp.js?a=%00"))
                #expect(try await connection.response().status == 404)
            }
            #expect(origin.urls == ["/shop/%2561pp.js?a=%00"])
        }
    }

    @Test("that arrive one at a time make the same request", arguments: Reader.allCases)
    func piecemeal(_ reader: Reader) async throws {
        try await withEmptyOrigin { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                for byte in (Self.plain + Self.unusual).utf8 { try await connection.send([byte]) }
                #expect(try await connection.response().status == 200)
                #expect(try await connection.response().status == 206)
            }
        }
    }

    @Test("after empty lines are served; endless empty lines are refused", arguments: Reader.allCases)
    func emptyLines(_ reader: Reader) async throws {
        try await withEmptyOrigin { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                try await connection.send("\r\n\r\n" + Self.plain)
                #expect(try await connection.response().status == 200)
                try await connection.send(String(repeating: "\r\n", count: 20_000))
                #expect(try await connection.response().status == 431)
            }
        }
    }

    @Test("from a client that sends nothing more still get a response", arguments: Reader.allCases)
    func halfClosed(_ reader: Reader) async throws {
        try await withEmptyOrigin { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                try await connection.send(Self.plain + Self.plain)
                connection.finish()
                #expect(try await connection.response().text == "run()")
                #expect(try await connection.response().text == "run()")
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("end the connection when the client has ended, however soon", .timeLimit(.minutes(5)))
    func endAtOnce() async throws {
        try await withEmptyOrigin { endpoint, _ in
            for _ in 0..<200 {
                let client = try SilentClient(port: endpoint.port)
                try client.send(Self.plain)
                client.finish()
                #expect(await client.isAtEnd)
            }
        }
    }

    @Test("for a file whose fields are longer than all buffers get a response", arguments: Reader.allCases)
    func longFields(_ reader: Reader) async throws {
        let value = String(repeating: "x", count: 8_000)
        let fields = (0..<10).map { #""X-\#($0)": "\#(value)""# }.joined(separator: ", ")
        try await withStore { store in
            try store.install(
                #"""
                {"name": "shop", "version": "1.0.0", "origins": [],
                 "headers": {"/app.js": {\#(fields)}}}
                """#,
                ["app.js": "run()"]
            )
            try await withEndpoint(store) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection in
                    try await Self.begin(connection, reader)
                    for _ in 0..<2 {
                        let response = try await connection.get("/shop/app.js")
                        #expect(response["x-9"] == value)
                        #expect(response.text == "run()")
                    }
                }
            }
        }
    }

    @Test("get an explanation even when an added field is very long")
    func refusalWithLongField() async throws {
        try await withStore { store in
            try store.installShop()
            let value = String(repeating: "x", count: 100_000)
            let field = try #require(HeaderField(name: "X-Long", value: value))
            try await withEndpoint(
                store,
                configure: { $0.headerFields = [field] }
            ) { endpoint in
                try await withRawConnection(to: endpoint.port) { connection in
                    try await connection.send("BAD\r\n\r\n")
                    let response = try await connection.response()
                    #expect(response.status == 400)
                    #expect(response["x-long"] == value)
                }
            }
        }
    }

    /// Sends a request first that migrates the connection to a channel.
    static func begin(_ connection: RawConnection, _ reader: Reader) async throws {
        guard reader == .channel else { return }
        try await connection.send(unusual)
        _ = try await connection.response()
    }
}
