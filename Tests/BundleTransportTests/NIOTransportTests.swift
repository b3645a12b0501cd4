import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import BundleTransport
import HTTPTypes
import Testing

@Suite("NIOTransport")
struct NIOTransportTests {
    @Test("a response comes with its status, its fields and its whole body")
    func plainResponse() async throws {
        let body = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try await withOriginAndTransport { origin, transport in
            origin.route("/data", to: ScriptedResponse(fields: [.contentType: "application/x-data"], body: body))
            let response = try await transport.send(origin.request("/data?a=1"))
            #expect(response.head.status == .ok)
            #expect(response.head.headerFields[.contentType] == "application/x-data")
            #expect(try await response.body.all() == body)
            #expect(origin.requestedPaths == ["/data?a=1"])
        }
    }

    @Test("the request's fields arrive as they are, and no others that would change the answer")
    func requestFields() async throws {
        try await withOriginAndTransport { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            request.headerFields[.ifNoneMatch] = "\"abc\""
            _ = try await transport.send(request).body.all()
            let fields = try #require(origin.requests.first).headerFields
            #expect(fields[.ifNoneMatch] == "\"abc\"")
            #expect(fields[.acceptEncoding] == nil)
            #expect(fields[.cookie] == nil)
        }
    }

    @Test("a redirect is handed back, not followed")
    func redirect() async throws {
        try await withOriginAndTransport { origin, transport in
            origin.route("/old", to: ScriptedResponse(status: .found, fields: [.location: "/new"]))
            let response = try await transport.send(origin.request("/old"))
            #expect(response.head.status == .found)
            #expect(response.head.headerFields[.location] == "/new")
            _ = try await response.body.all()
            #expect(origin.requestedPaths == ["/old"])
        }
    }

    @Test("a compressed body stays compressed")
    func contentCoding() async throws {
        let bytes: [UInt8] = [0x1f, 0x8b, 8, 0, 1, 2, 3]
        try await withOriginAndTransport { origin, transport in
            origin.route("/z", to: ScriptedResponse(fields: [.contentEncoding: "gzip"], body: bytes))
            let response = try await transport.send(origin.request("/z"))
            #expect(response.head.headerFields[.contentEncoding] == "gzip")
            #expect(try await response.body.all() == bytes)
        }
    }

    @Test("the head is there before the body's end")
    func streaming() async throws {
        try await withOriginAndTransport { origin, transport in
            // Larger than any socket's buffer: the origin can't finish before the body is read.
            origin.route("/big", to: ScriptedResponse(body: [UInt8](repeating: 7, count: 32_000_000)))
            let response = try await transport.send(origin.request("/big"))
            var chunks = 0
            var count = 0
            for try await chunk in response.body {
                chunks += 1
                count += chunk.count
            }
            #expect(chunks > 1)
            #expect(count == 32_000_000)
        }
    }

    @Test("a HEAD request gets the length and no body")
    func headRequest() async throws {
        try await withOriginAndTransport { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            request.method = .head
            let response = try await transport.send(request)
            #expect(response.head.headerFields[.contentLength] == "5")
            #expect(try await response.body.all().isEmpty)
        }
    }

    @Test(
        "a body that is cut short throws",
        arguments: [
            ("fixed length", [OriginFault.close(afterBodyBytes: 1_000)]),
            ("chunked", [.chunked, .close(afterBodyBytes: 1_000)]),
            ("announced longer than it is", [.announceLength(5_000)]),
        ]
    )
    func cutShort(_ kind: String, _ faults: [OriginFault]) async throws {
        try await withOriginAndTransport { origin, transport in
            origin.route("/data", to: ScriptedResponse(body: [UInt8](repeating: 1, count: 4_000)))
            origin.fail("/data", with: faults)
            let response = try await transport.send(origin.request("/data"))
            let error = try #require(await failure { _ = try await response.body.all() } as? BundleError)
            #expect(error.code == .networkUnavailable)
            #expect(error.message.hasPrefix("the response from 127.0.0.1:"))
            #expect(error.message.hasSuffix("closed the connection too early; check the server, or try again"))
        }
    }

    @Test("a refused connection fails at once, with one line that says where and why")
    func refused() async throws {
        try await withOriginAndTransport { origin, transport in
            await origin.stop()
            let error = try #require(
                await failure { _ = try await transport.send(origin.request("/")) } as? BundleError
            )
            let address = origin.baseURL.dropFirst("http://".count)
            #expect(error.code == .networkUnavailable)
            #expect(
                error.message == "could not reach \(address): connection refused; "
                    + "check that the server is running and that the port is right"
            )
        }
    }

    @Test("an origin that doesn't speak TLS is reported as that")
    func noTLS() async throws {
        try await withOriginAndTransport { origin, transport in
            var request = origin.request("/")
            request.scheme = "https"
            let error = try #require(await failure { _ = try await transport.send(request) } as? BundleError)
            #expect(error.code == .networkUnavailable)
            #expect(error.message.hasPrefix("could not reach 127.0.0.1:"))
            #expect(error.message.contains("the TLS handshake failed"))
        }
    }

    @Test("an origin that comes back is reached again")
    func restart() async throws {
        try await withOriginAndTransport { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            _ = try await transport.send(origin.request("/")).body.all()
            await origin.stop()
            #expect(await failure { _ = try await transport.send(origin.request("/")) } is BundleError)
            try await origin.start()
            #expect(try await transport.send(origin.request("/")).body.all() == Array("hello".utf8))
        }
    }

    @Test("a silent origin is given up after the time for the first byte, whatever it may take later")
    func silence() async throws {
        let transport = NIOTransport(firstByteTimeout: .milliseconds(50))
        try await withOriginServer { origin in
            origin.fail("/", with: [.hold(Latch())])
            let error = try #require(
                await failure { _ = try await transport.send(origin.request("/")) } as? BundleError
            )
            #expect(error.code == .networkUnavailable)
            #expect(error.message.contains("no data for 0.05 seconds"))
        }
        await transport.shutdown()
    }

    @Test("a cancelled task gets CancellationError")
    func cancellation() async throws {
        try await withOriginAndTransport { origin, transport in
            let latch = Latch()
            origin.fail("/", with: [.hold(latch)])
            let request = origin.request("/")
            let task = Task { try await transport.send(request) }
            try await latch.waitForArrivals()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(
        "a URL that HTTP can't reach is refused",
        arguments: [
            ("ftp", "example.com"), (nil, "example.com"), ("http", nil), ("http", ""), ("http", "host name"),
            ("http", "127.0.0.1:65536"), ("http", "127.0.0.1:99999999999999999999"), ("http", "[::1]:x"),
        ] as [(String?, String?)]
    )
    func wrongURL(_ scheme: String?, _ authority: String?) async throws {
        let transport = NIOTransport()
        let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")
        let error = await failure { _ = try await transport.send(request) } as? BundleError
        #expect(error?.code == .invalidArgument)
        await transport.shutdown()
    }

    @Test("as many slow answers as there are browsers behind one server don't keep each other waiting")
    func slowOrigin() async throws {
        try await withOriginAndTransport { origin, transport in
            let latch = Latch()
            origin.route("/") { _ in
                try await latch.wait()
                return ScriptedResponse("hello")
            }
            let request = origin.request("/")
            let responses = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<40 { group.addTask { try await transport.send(request).body.all() } }
                // All are with the origin at the same time; none waits for a connection.
                try await latch.waitForArrivals(40)
                latch.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses == Array(repeating: Array("hello".utf8), count: 40))
        }
    }

    @Test("many requests at once are all answered")
    func concurrency() async throws {
        try await withOriginAndTransport { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            let request = origin.request("/")
            let responses = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<100 { group.addTask { try await transport.send(request).body.all() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses == Array(repeating: Array("hello".utf8), count: 100))
        }
    }
}

private func withOriginAndTransport(
    _ body: (OriginServer, NIOTransport) async throws -> Void
) async throws {
    let transport = NIOTransport()
    do {
        try await withOriginServer { origin in try await body(origin, transport) }
    } catch {
        await transport.shutdown()
        throw error
    }
    await transport.shutdown()
}

private func failure(of operation: () async throws -> Void) async -> (any Error)? {
    do {
        try await operation()
        return nil
    } catch {
        return error
    }
}

extension OriginServer {
    fileprivate func request(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: String(baseURL.dropFirst("http://".count)), path: path)
    }
}

extension BodyStream {
    fileprivate func all() async throws -> [UInt8] {
        try await reduce(into: []) { $0 += $1 }
    }
}
