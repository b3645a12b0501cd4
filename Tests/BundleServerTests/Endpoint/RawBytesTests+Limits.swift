import BundleServing
import BundleStore
import BundleTesting
import NIOCore
import Testing

@testable import BundleServer

/// Clients that send too much, or are slow.
extension RawBytesTests {
    @Test("that never become a request get 408 after the time limit", arguments: Reader.allCases)
    func slowHead(_ reader: Reader) async throws {
        try await withEmptyOrigin {
            $0.headTime = .milliseconds(20)
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                try await connection.send("GET /shop/app.js HTTP/1.1\r\nHost: loc")
                let response = try await connection.response()
                #expect(response.status == 408)
                #expect(response["connection"] == "close")
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("that arrive one by one get no more time")
    func drippingHead() async throws {
        try await withEmptyOrigin {
            $0.headTime = .milliseconds(20)
            $0.head.byteCount = 1 << 20
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await connection.send("GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\nX: ")
                let output = connection.output
                let dripping = Task {
                    while !Task.isCancelled { try await output.write(ByteBuffer(string: "y")) }
                }
                let response = try await connection.response()
                dripping.cancel()
                _ = await dripping.result
                #expect(response.status == 408)
            }
        }
    }

    @Test("of content that never ends are awaited only up to the time limit")
    func slowContent() async throws {
        try await withEmptyOrigin {
            $0.bodyTime = .milliseconds(20)
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await connection.send(Self.post("Content-Length: 5\r\n", "a"))
                #expect(try await connection.response().status == 404)
                _ = try await connection.rest()
            }
        }
    }

    @Test("are limited by the request rate of a connection", arguments: Reader.allCases)
    func rate(_ reader: Reader) async throws {
        try await withEmptyOrigin {
            $0.requestsPerSecond = 5
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                // More than two seconds' worth, so that the second in which they arrive doesn't matter.
                try await connection.send(String(repeating: Self.plain, count: 12))
                var status = 200
                while status == 200 { status = try await connection.response().status }
                #expect(status == 429)
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("are accepted only up to the number of connections")
    func connections() async throws {
        try await withEmptyOrigin {
            $0.connections = 2
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { first async throws in
                #expect(try await first.get("/shop/app.js").status == 200)
                try await withRawConnection(to: endpoint.port) { second async throws in
                    #expect(try await second.get("/shop/app.js").status == 200)
                    try await withRawConnection(to: endpoint.port) { third async throws in
                        #expect(try await third.response().status == 503)
                        #expect(try await third.rest().isEmpty)
                    }
                }
            }
        }
    }

    @Test("are accepted only up to the number of connections from one address")
    func connectionsPerAddress() async throws {
        try await withEmptyOrigin {
            $0.connectionsPerAddress = 1
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { first async throws in
                #expect(try await first.get("/shop/app.js").status == 200)
                try await withRawConnection(to: endpoint.port) { second async throws in
                    #expect(try await second.response().status == 503)
                }
            }
        }
    }

    @Test("are limited by the request rate, also when the connection migrates in between")
    func rateOfBoth() async throws {
        try await withEmptyOrigin {
            $0.requestsPerSecond = 6
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                // At most twelve in two seconds, whichever seconds they arrive in.
                try await connection.send(String(repeating: Self.plain, count: 6))
                try await connection.send(String(repeating: Self.unusual, count: 12))
                var count = 0
                while try await connection.response().status != 429 { count += 1 }
                #expect((6...12).contains(count))
            }
        }
    }

    @Test("of a HEAD that never becomes a request get 408 without content", arguments: Reader.allCases)
    func slowHeadOfHead(_ reader: Reader) async throws {
        try await withEmptyOrigin {
            $0.headTime = .milliseconds(20)
        } _: { endpoint, _ in
            try await withRawConnection(to: endpoint.port) { connection in
                try await Self.begin(connection, reader)
                try await connection.send("HEAD /shop/app.js HTTP/1.1\r\nHost: loc")
                #expect(try await connection.response(toHead: true).status == 408)
                #expect(try await connection.rest().isEmpty)
            }
        }
    }

    @Test("for a client that reads nothing are dropped", arguments: Reader.allCases)
    func stalled(_ reader: Reader) async throws {
        try await withStore { store in
            try store.installBig([UInt8](repeating: 7, count: 32 << 20), "1.0.0")
            try await withEndpoint(store, configure: { $0.limits.writeStall = .milliseconds(50) }) { endpoint in
                let range = reader == .channel ? "Range: bytes=1-\r\n" : ""
                let client = try SilentClient(port: endpoint.port)
                try client.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\(range)\r\n")
                #expect(await client.isReset)
            }
        }
    }
}
