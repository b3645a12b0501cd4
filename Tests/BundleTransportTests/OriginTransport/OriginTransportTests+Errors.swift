import BundleModel
import BundleNetwork
import BundleTesting
import HTTPCore
import HTTPTypes
import Testing

/// What a transport reports when there is no response, or none that is one.
extension OriginTransportTests {
    @Test(
        "has an error for a body that is cut short",
        arguments: TransportKind.allCases,
        [
            "Content-Length: 4000\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
            "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ]
    )
    func cutShort(_ kind: TransportKind, _ rest: String) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\n" + rest)
        } _: { origin in
            try await kind.withTransport { transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.send(origin.request()).body.all()
                }
                #expect(error?.code == .networkUnavailable)
                #expect(
                    error?.message.hasSuffix("closed the connection too early; check the server, or try again") == true
                )
            }
        }
    }

    @Test("fails at once when the connection is refused, and says where and why", arguments: TransportKind.allCases)
    func refused(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            await origin.stop()
            let error = await #expect(throws: BundleError.self) { try await transport.send(origin.request("/")) }
            #expect(error?.code == .networkUnavailable)
            #expect(
                error?.message == "could not reach \(origin.authority): connection refused; "
                    + "check that the server is running and that the port is right"
            )
        }
    }

    @Test("reports a host without an address as that", arguments: TransportKind.allCases)
    func unknownHost(_ kind: TransportKind) async throws {
        try await kind.withTransport { transport in
            let request = HTTPRequest(method: .get, scheme: "http", authority: "nowhere.invalid", path: "/")
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.code == .networkUnavailable)
            #expect(error?.message.contains("the name has no address") == true, "\(error?.message ?? "")")
        }
    }

    @Test("reports an origin that doesn't speak TLS as that", arguments: TransportKind.allCases)
    func noTLS(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            var request = origin.request("/")
            request.scheme = "https"
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.code == .networkUnavailable)
            #expect(error?.message.contains("the TLS handshake failed") == true, "\(error?.message ?? "")")
        }
    }

    @Test("reaches an origin again that comes back", arguments: TransportKind.allCases)
    func restart(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            _ = try await transport.send(origin.request("/")).body.all()
            await origin.stop()
            await #expect(throws: BundleError.self) { try await transport.send(origin.request("/")) }
            try await origin.start()
            #expect(try await transport.send(origin.request("/")).body.all() == Array("hello".utf8))
        }
    }

    @Test(
        "has an error for what isn't a response",
        arguments: TransportKind.allCases,
        ["SSH-2.0-OpenSSH_9.2\r\n", "", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"]
    )
    func malformed(_ kind: TransportKind, _ reply: String) async throws {
        try await Self.withReply(reply, kind) { origin, transport in
            guard kind.keeps(.refusesUnknownStatus) || !reply.contains("999") else {
                let status = try await transport.send(origin.request()).head.status.code
                #expect(status == 999)
                return
            }
            let error = await #expect(throws: BundleError.self) { try await transport.send(origin.request()) }
            #expect(error?.code == .networkUnavailable)
        }
    }

    @Test("has an error for a head that is cut short")
    func cutHead() async throws {
        try await Self.withReply("HTTP/1.1 200 OK\r\nContent-Le", .nio) { origin, transport in
            let error = await #expect(throws: BundleError.self) { try await transport.send(origin.request()) }
            #expect(error?.code == .networkUnavailable)
        }
    }

    /// What Foundation on Linux does with it can't be prevented: it ends the process.
    @Test("can't survive a head that is cut short on Linux' URLSession")
    func cutHeadOfURLSession() async throws {
        #expect(!TransportKind.urlSession.keeps(.survivesCutHeads))
        #if canImport(FoundationNetworking)
            await #expect(processExitsWith: .failure) {
                try await Self.withReply("HTTP/1.1 200 OK\r\nContent-Le", .urlSession) { origin, transport in
                    _ = try await transport.send(origin.request())
                }
            }
        #endif
    }

    private static func withReply(
        _ reply: String,
        _ kind: TransportKind,
        _ body: (RawOrigin, any OriginTransport) async throws -> Void
    ) async throws {
        try await withRawOrigin({ _ in .init(reply.utf8) }) { origin in
            try await kind.withTransport { try await body(origin, $0) }
        }
    }
}
