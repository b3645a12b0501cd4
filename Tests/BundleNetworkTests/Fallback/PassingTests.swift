import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import Testing

@Suite("Requests that only the origin can respond to")
struct PassingTests {
    private static let methods: [HTTPRequest.Method] = [.post, .put, .delete, .patch, HTTPRequest.Method("M-SEARCH")!]

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:],
        content: String? = nil,
        to fixture: FallbackFixture
    ) async throws -> Received {
        let request = HTTPRequest(
            method: method,
            scheme: nil,
            authority: "m.example.com",
            path: "/shop/\(path)",
            headerFields: fields
        )
        let client = ClientExchange(content: content.map { BodyStream(Array($0.utf8)) }, interim: { _ in })
        guard case .waiting(let rest) = fixture.responder.begin(request) else { throw CancellationError() }
        return try await Received(rest(client))
    }

    /// Responds with the method and the content of each request.
    private func echo(_ path: String, _ fixture: FallbackFixture, _ status: HTTPResponse.Status = .ok) {
        fixture.network.response(calling: FallbackFixture.origin + path) { call in
            var content: [UInt8] = []
            if let body = call.content { for try await chunk in body { content += chunk } }
            return OriginResponse(status, [:], "\(call.request.method) \(String(decoding: content, as: UTF8.self))")
        }
    }

    @Test("reach it with their content, also where the bundle has a file", arguments: methods)
    func method(_ method: HTTPRequest.Method) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            for path in ["x", "docs/index.html"] {
                echo(path, fixture)
                let response = try await send(method, path, [.contentLength: "4"], content: "data", to: fixture)
                #expect(response.text == "\(method) data")
                #expect(response.cacheStatus == #"offline-bundles; fwd=method; fwd-status=200; detail="network""#)
                #expect(fixture.network.requests.last?.headerFields[.contentLength] == "4")
            }
            #expect(try fixture.cachedURLs.isEmpty)
        }
    }

    @Test(
        "get the origin's interim responses, of which nothing reaches beyond the bundle",
        arguments: [HTTPRequest.Method.get, .post]
    )
    func interim(method: HTTPRequest.Method) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let (link, altSvc) = (try #require(HTTPField.Name("Link")), try #require(HTTPField.Name("Alt-Svc")))
            fixture.network.response(calling: FallbackFixture.origin + "x") { call in
                let fields: HTTPFields = [
                    link: "</a>", altSvc: "h3=\":443\"", .setCookie: "a=b; Domain=example.com; Path=/",
                    .connection: "close",
                ]
                call.onInterim?(HTTPResponse(status: .init(code: 103), headerFields: fields))
                return OriginResponse(.ok, [.cacheControl: "no-store"], "x")
            }
            let request = HTTPRequest(method: method, scheme: nil, authority: "m.example.com", path: "/shop/x")
            let interim = Monitor<[HTTPResponse]>([])
            let client = ClientExchange(content: nil) { head in interim.update { $0.append(head) } }
            guard case .waiting(let rest) = fixture.responder.begin(request) else { throw CancellationError() }
            #expect(try await Received(rest(client)).text == "x")
            let fields = try #require(interim.state.first).headerFields
            #expect(interim.state.count == 1 && fields[link] == "</a>")
            #expect(fields[altSvc] == nil && fields[.connection] == nil)
            #expect(fields[.setCookie] == "a=b; Path=/shop/")
        }
    }

    @Test("get trailers, of which nothing reaches beyond the bundle", arguments: [HTTPRequest.Method.get, .post])
    func trailers(method: HTTPRequest.Method) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let (sum, altSvc) = (try #require(HTTPField.Name("X-Sum")), try #require(HTTPField.Name("Alt-Svc")))
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                let response = OriginResponse(.ok, [.cacheControl: "no-store"], "x")
                let body = response.body.changingTrailers { _ in [sum: "1", altSvc: "h3=\":443\""] }
                return OriginResponse(head: response.head, body: body)
            }
            let request = HTTPRequest(method: method, scheme: nil, authority: "m.example.com", path: "/shop/x")
            guard case .streaming(_, let body, _) = await fixture.responder.respond(to: request) else {
                Issue.record("the response isn't streamed")
                return
            }
            for try await _ in body {}
            #expect(body.trailers == [sum: "1"])
        }
    }

    private static let representation: HTTPFields = [
        .cacheControl: "max-age=60", .contentLocation: FallbackFixture.origin + "x",
    ]

    @Test(
        "are stored for later GETs when the response says that it is the resource's representation, and for how long",
        arguments: [
            (.post, .ok, [:], true), (.patch, .ok, [:], true), (.put, .ok, [:], false), (.delete, .ok, [:], false),
            (.post, .created, [:], false), (.post, .notFound, [:], false),
            (.post, .ok, [.contentLocation: "x"], true), (.post, .ok, [.contentLocation: "/shop/x#part"], true),
            (.post, .ok, [.contentLocation: "/shop/y"], false), (.post, .ok, [.contentLocation: ""], false),
            (.post, .ok, [.contentLocation: "https://n.example.com/shop/x"], false),
            (.post, .ok, [.cacheControl: "public", .lastModified: "Sat, 01 Jan 2000 00:00:00 GMT"], false),
            (.post, .ok, [.cacheControl: "no-store, max-age=60"], false), (.post, .ok, [.vary: "*"], false),
            (.post, .ok, [.contentEncoding: "gzip"], false),
        ] as [(HTTPRequest.Method, HTTPResponse.Status, HTTPFields, Bool)]
    )
    func representation(
        _ method: HTTPRequest.Method,
        _ status: HTTPResponse.Status,
        _ changes: HTTPFields,
        isStored: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "old")
            _ = try await fixture.get("x")
            var fields = Self.representation
            for field in changes { fields[field.name] = field.value }
            fixture.publish("x", "new", fields, status: status)
            let response = try await send(method, "x", [.contentType: "text/plain"], content: "1", to: fixture)
            #expect(response.status == status.code && response.text == "new")
            let later = try await fixture.get("x", offline: true)
            let isKept = status == .notFound
            #expect(later.text == (isStored ? "new" : isKept ? "old" : later.text))
            #expect(later.status == (isStored || isKept ? 200 : 504))
            #expect(response.cacheStatus?.contains("stored") == isStored)
        }
    }

    @Test("are never served from what is stored")
    func stored() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x", Self.representation)
            for _ in 0..<2 { _ = try await send(.post, "x", content: "1", to: fixture) }
            #expect(fixture.network.requests.count == 2)
        }
    }

    @Test(
        "make what is stored for the URL invalid, unless they fail",
        arguments: methods,
        [HTTPResponse.Status.ok, .created, .seeOther, .notFound, .internalServerError]
    )
    func invalidation(_ method: HTTPRequest.Method, _ status: HTTPResponse.Status) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "old")
            fixture.publish("y", "other")
            for path in ["x", "y"] { _ = try await fixture.get(path) }
            echo("x", fixture, status)
            #expect(try await send(method, "x", to: fixture).head.status == status)
            fixture.publish("x", "new")
            #expect(try await fixture.get("x").text == (status.code < 400 ? "new" : "old"))
            #expect(try await fixture.get("y", offline: true).text == "other")
        }
    }

    @Test("OPTIONS for what the bundle lacks is the origin's, for CORS")
    func options() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("api", "", [.allow: "GET, POST"], status: .noContent)
            let response = try await send(.options, "api", [.accessControlRequestMethod: "POST"], to: fixture)
            #expect(response[.allow] == "GET, POST")
        }
    }

    @Test(
        "name the origin where they named this server, and nothing else",
        arguments: [
            ("http://m.example.com", "https://m.example.com"), ("https://evil.example", "https://evil.example"),
            ("null", "null"),
        ]
    )
    func originField(_ sent: String, _ received: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            echo("x", fixture)
            _ = try await send(.post, "x", [.origin: sent], to: fixture)
            #expect(fixture.network.requests.last?.headerFields[.origin] == received)
        }
    }

    @Test("give 504 without a network, and 405 without an origin")
    func unavailable() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            #expect(try await fixture.get("x", method: .post, offline: true).status == 504)
            let request = HTTPRequest(method: .post, scheme: nil, authority: "localhost", path: "/bare/x")
            #expect(await fixture.responder.respond(to: request).head.status == .methodNotAllowed)
        }
    }

    @Test("that ask for another protocol keep the fields for it, and get a tunnel")
    func upgrade() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.network.response(calling: FallbackFixture.origin + "ws") { call in
                let head = HTTPResponse(status: .switchingProtocols, headerFields: [.upgrade: "websocket"])
                #expect(call.request.headerFields[.upgrade] == "websocket")
                #expect(call.request.headerFields[.connection] == "Upgrade")
                return OriginResponse(head: head, tunnel: Tunnel(incoming: BodyStream([1]), send: { _ in }, end: {}))
            }
            let fields: HTTPFields = [.connection: "keep-alive, Upgrade", .upgrade: "websocket"]
            let request = HTTPRequest(
                method: .get,
                scheme: nil,
                authority: "m.example.com",
                path: "/shop/ws",
                headerFields: fields
            )
            guard case .switching(let head, let tunnel, _) = await fixture.responder.respond(to: request) else {
                Issue.record("no switch of protocols")
                return
            }
            #expect(head.headerFields[.upgrade] == "websocket")
            var bytes: [UInt8] = []
            for try await chunk in tunnel.incoming { bytes += chunk }
            #expect(bytes == [1])
        }
    }

    @Test(
        "switch to WebSocket alone: other protocols are left out",
        arguments: [
            ("websocket", true), ("WebSocket", true), ("h2c, websocket", true), ("h2c", false), ("echo, h2c", false),
            ("echo", false), ("websocket2", false), ("", false),
        ]
    )
    func protocols(_ upgrade: String, _ isPassed: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.network.response(calling: FallbackFixture.origin + "ws") { call in
                #expect(call.request.headerFields[.upgrade] == (isPassed ? "websocket" : nil))
                #expect(call.request.headerFields[.connection] == (isPassed ? "Upgrade" : nil))
                return OriginResponse(.accepted, [:], "")
            }
            let request = HTTPRequest(
                method: .get,
                scheme: nil,
                authority: "m.example.com",
                path: "/shop/ws",
                headerFields: [.connection: "Upgrade", .upgrade: upgrade]
            )
            #expect(await fixture.responder.respond(to: request).head.status == .accepted)
        }
    }

    @Test(
        "with CONNECT open WebSockets alone (RFC 8441), and get 501 for other protocols (RFC 9220 §3)",
        arguments: [
            ("websocket", 202), ("WebSocket", 202), ("connect-udp", 501), ("connect-ip", 501), ("tcp", 501),
            ("h2c", 501),
            ("", 501), (nil, 405),
        ]
    )
    func extendedConnect(_ name: String?, _ status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.network.response(calling: FallbackFixture.origin + "ws") { call in
                #expect(call.request.headerFields[.upgrade] == "websocket")
                return OriginResponse(.accepted, [:], "")
            }
            var request = HTTPRequest(method: .connect, scheme: nil, authority: "m.example.com", path: "/shop/ws")
            request.extendedConnectProtocol = name
            #expect(await fixture.responder.respond(to: request).head.status.code == status)
            #expect(fixture.network.requests.count == (status == 202 ? 1 : 0))
        }
    }
}
