import BundleServing
import BundleTesting
import Testing

@testable import BundleServer

@Suite("A malformed request")
struct MalformedRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: String
        var status = 400
        let says: String

        var testDescription: String { name }
    }

    static let host = "exactly one Host field"
    static let target = "neither a path nor an http or https URL"
    static let framing = "length of its content in exactly one way"
    static let syntax = "not a well-formed HTTP/1.1 request"
    static let cases = [
        Case(name: "no Host", bytes: "GET /shop/app.js HTTP/1.1\r\n\r\n", says: host),
        Case(name: "two Hosts", bytes: "GET /shop/app.js HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", says: host),
        Case(name: "a space in Host", bytes: "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", says: host),
        Case(name: "a user in Host", bytes: "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", says: host),
        Case(name: "a path in Host", bytes: "GET / HTTP/1.1\r\nHost: a/shop\r\n\r\n", says: host),
        Case(name: "a port over 65535 in Host", bytes: "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", says: host),
        Case(name: "another scheme", bytes: "GET ftp://m.example.com/ HTTP/1.1\r\nHost: a\r\n\r\n", says: target),
        Case(name: "a user in the target", bytes: "GET https://u@h/ HTTP/1.1\r\nHost: a\r\n\r\n", says: target),
        Case(name: "junk", bytes: "nonsense\r\n\r\n", says: syntax),
        Case(name: "TLS", bytes: "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}\r\n\r\n", says: syntax),
        Case(name: "a broken field", bytes: "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", says: syntax),
        Case(
            name: "two lengths",
            bytes: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
            says: framing
        ),
        Case(
            name: "a length and chunks",
            bytes: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            says: framing
        ),
        Case(
            name: "a huge field",
            bytes: "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n",
            status: 431,
            says: "too long"
        ),
        Case(
            name: "a huge target",
            bytes: "GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
            status: 414,
            says: "too long"
        ),
    ]

    @Test("gets an explanation, and the connection ends", arguments: cases)
    func refused(_ malformed: Case) async throws {
        try await withShopConnection { connection in
            try await connection.send(malformed.bytes)
            try await expectRefusal(connection, malformed)
        }
    }

    @Test("after another request is refused in its turn", arguments: cases)
    func pipelined(_ malformed: Case) async throws {
        try await withShopConnection { connection in
            try await connection.send("GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n" + malformed.bytes)
            #expect(try await connection.response().text == "run()")
            try await expectRefusal(connection, malformed)
        }
    }

    private func expectRefusal(_ connection: RawConnection, _ malformed: Case) async throws {
        let response = try await connection.response()
        #expect(response.status == malformed.status)
        #expect(response.text.contains(malformed.says))
        #expect(response["content-type"]?.hasPrefix("text/plain") == true)
        #expect(response["content-length"] == String(response.body.count))
        #expect(response["x-content-type-options"] == "nosniff")
        #expect(response["cache-status"] == #"offline-bundles; detail="bad request""#)
        #expect(response["date"]?.hasSuffix(" GMT") == true)
        #expect(response["connection"] == "close")
        #expect(try await connection.rest().isEmpty)
    }
}
