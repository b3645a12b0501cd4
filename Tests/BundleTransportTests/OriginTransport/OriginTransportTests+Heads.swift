import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import Testing

/// The heads of responses, as a transport hands them back.
extension OriginTransportTests {
    @Test("gives a response's status, its fields and its whole body", arguments: TransportKind.allCases)
    func plainResponse(_ kind: TransportKind) async throws {
        let body = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try await kind.withOrigin { origin, transport in
            origin.route("/data", to: ScriptedResponse(fields: [.contentType: "application/x-data"], body: body))
            let response = try await transport.send(origin.request("/data?a=1"))
            #expect(response.head.status == .ok)
            #expect(response.head.headerFields[.contentType] == "application/x-data")
            #expect(response.head.headerFields[.contentLength] == "300000")
            #expect(try await response.body.all() == body)
            #expect(origin.requestedPaths == ["/data?a=1"])
        }
    }

    @Test("responds to HEAD with the length and no body", arguments: TransportKind.allCases)
    func headRequest(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            request.method = .head
            let response = try await transport.send(request)
            #expect(response.head.headerFields[.contentLength] == "5")
            #expect(try await response.body.all().isEmpty)
        }
    }

    @Test("passes each value of Set-Cookie on, and each line of a field", arguments: TransportKind.allCases)
    func fieldLines(_ kind: TransportKind) async throws {
        let cookies = ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "c=x y; Secure"]
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            let lines = cookies.map { "Set-Cookie: \($0)\r\n" }.joined()
            try await peer.respond("hello", "\(lines)X-A: 1\r\nX-A: 2\r\n")
        } _: { origin in
            try await kind.withTransport { transport in
                let fields = try await transport.send(origin.request()).head.headerFields
                let name = try #require(HTTPField.Name("X-A"))
                #expect(fields[values: .setCookie] == cookies)
                #expect(fields[values: name] == (kind.keeps(.keepsFieldLines) ? ["1", "2"] : ["1, 2"]))
            }
        }
    }

    @Test("passes on the bytes of field values, or fails", arguments: TransportKind.allCases)
    func fieldBytes(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.raw.send(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-N: f".utf8) + [0xE9, 13, 10, 13, 10]
            )
        } _: { origin in
            try await kind.withTransport { transport in
                guard kind.keeps(.passesFieldBytes) else {
                    await #expect(throws: BundleError.self) { try await transport.send(origin.request()) }
                    let field = HTTPField(name: .ifNoneMatch, value: [0x22, 0xE9, 0x22])
                    let error = await #expect(throws: BundleError.self) {
                        try await transport.send(origin.request(.get, "/", HTTPFields([field])))
                    }
                    #expect(error?.code == .invalidArgument)
                    return
                }
                let name = try #require(HTTPField.Name("X-N"))
                let fields = try await transport.send(origin.request()).head.headerFields
                #expect(fields[fields: name].first?.withUnsafeBytesOfValue { Array($0) } == [0x66, 0xE9])
            }
        }
    }

    @Test("passes interim responses on, but 100, before the response", arguments: TransportKind.allCases)
    func interims(_ kind: TransportKind) async throws {
        let seen = Monitor<[Int]>([])
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try await peer.respond("hello")
        } _: { origin in
            try await kind.withTransport { transport in
                var call = origin.call()
                call.onInterim = { head in seen.update { $0.append(head.status.code) } }
                let response = try await transport.send(call)
                #expect(response.head.status == .ok)
                #expect(try await response.body.all() == Array("hello".utf8))
                #expect(seen.state == [103])
            }
        }
    }

    @Test(
        "hands redirects back, and follows none",
        arguments: TransportKind.allCases,
        [HTTPResponse.Status.movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect]
    )
    func redirect(_ kind: TransportKind, _ status: HTTPResponse.Status) async throws {
        try await kind.withOrigin { origin, transport in
            origin.route("/old", to: ScriptedResponse(status: status, fields: [.location: "/new"], body: [1, 2, 3]))
            let response = try await transport.send(origin.request("/old"))
            #expect(response.head.status == status)
            #expect(response.head.headerFields[.location] == "/new")
            #expect(try await response.body.all() == [1, 2, 3])
            #expect(origin.requestedPaths == ["/old"])
        }
    }

    @Test("hands a 401 back, and has no credentials", arguments: TransportKind.allCases)
    func challenge(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            let name = try #require(HTTPField.Name("WWW-Authenticate"))
            origin.route("/", to: ScriptedResponse(status: .unauthorized, fields: [name: "Basic realm=\"a\""]))
            let response = try await transport.send(origin.request("/"))
            #expect(response.head.status == .unauthorized)
            #expect(try await response.body.all().isEmpty)
            #expect(origin.requests.count == 1)
        }
    }

    @Test("keeps no response: each request reaches the origin", arguments: TransportKind.allCases)
    func noCache(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            origin.route(
                "/",
                to: ScriptedResponse(fields: [.cacheControl: "max-age=3600"], body: Array("hello".utf8))
            )
            for _ in 0..<3 {
                let text = try await transport.send(origin.request("/")).body.all()
                #expect(text == Array("hello".utf8))
            }
            #expect(origin.requests.count == 3)
        }
    }

    @Test("switches protocols, or refuses to", arguments: TransportKind.allCases)
    func upgrade(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc")
        } _: { origin in
            try await kind.withTransport { transport in
                let request = origin.request(.get, "/", [.connection: "upgrade", .upgrade: "x"])
                if kind.keeps(.switchesProtocols) {
                    let tunnel = try #require(try await transport.send(request).tunnel)
                    let bytes = try await tunnel.incoming.all()
                    #expect(bytes == Array("abc".utf8))
                } else {
                    let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
                    #expect(error?.code == .invalidArgument)
                    #expect(origin.connections.state.count == 0)
                }
            }
        }
    }
}
