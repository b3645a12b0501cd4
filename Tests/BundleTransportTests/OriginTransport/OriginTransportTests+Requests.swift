import BundleModel
import BundleNetwork
import BundleTesting
import HTTPCore
import HTTPTypes
import Testing

/// What a transport sends of a request, and what it refuses to send.
extension OriginTransportTests {
    @Test(
        "sends the request's fields as they are, and no cookies",
        arguments: TransportKind.allCases
    )
    func requestFields(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            origin.route("/", to: ScriptedResponse(fields: [.setCookie: "a=1; Path=/"], body: Array("hello".utf8)))
            for _ in 0..<2 {
                var request = origin.request("/")
                request.headerFields[.ifNoneMatch] = "\"abc\""
                _ = try await transport.send(request).body.all()
            }
            for request in origin.requests {
                let fields = request.headerFields
                #expect(fields[.ifNoneMatch] == "\"abc\"")
                #expect(fields[.cookie] == nil)
                let added = Set(fields.map(\.name.canonicalName)).subtracting(["if-none-match", "host"])
                if kind.keeps(.addsNoFields) {
                    #expect(added.isEmpty)
                } else {
                    #expect(fields[.acceptEncoding]?.contains("gzip") == true)
                    #expect(added.isSubset(of: Self.addedNames))
                }
            }
            #expect(origin.requests.count == 2)
        }
    }

    @Test("sends any method", arguments: TransportKind.allCases, ["GET", "DELETE", "OPTIONS", "PATCH", "PROPFIND"])
    func methods(_ kind: TransportKind, _ name: String) async throws {
        try await kind.withOrigin { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            request.method = try #require(HTTPRequest.Method(name))
            #expect(try await transport.send(request).body.all() == Array("hello".utf8))
            #expect(origin.requests.map(\.method.rawValue) == [name])
        }
    }

    @Test(
        "sends the path and the query as they are",
        arguments: TransportKind.allCases,
        ["/a%2Fb/%E4%BD%A0?x=%20&y=a+b&z", "/a//b/", "/?", "/a;b=c", "/a/../b", "/x|y"]
    )
    func paths(_ kind: TransportKind, _ path: String) async throws {
        try await withTalkingOrigin { peer in
            let line = try await peer.line()
            try await peer.respond(line)
        } _: { origin in
            try await kind.withTransport { transport in
                let text = try? await transport.send(origin.request(.get, path)).body.all()
                let line = text.map { String(decoding: $0, as: UTF8.self) }
                switch path {
                case "/a/../b" where !kind.keeps(.keepsDotSegments): #expect(line == "GET /b HTTP/1.1")
                // Foundation would encode it: another path, so that it is refused.
                case "/x|y" where kind == .urlSession: #expect(line == nil)
                default: #expect(line == "GET \(path) HTTP/1.1")
                }
            }
        }
    }

    @Test("connects where connectTo says, with the host of the URL", arguments: TransportKind.allCases)
    func connectTo(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            let head = try await peer.head()
            try await peer.respond(head["host"] ?? "")
        } _: { origin in
            var call = origin.call()
            call.request.authority = "shop.example"
            call.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
            try await kind.withTransport { transport in
                let text = try await transport.send(call).body.all()
                #expect(text == Array("shop.example".utf8))
                guard !kind.keeps(.connectsToOtherAddressOverTLS) else { return }
                // Refused before anything is sent. NIOTransport's are in ConnectingTests.
                call.request.scheme = "https"
                let secure = call
                let error = await #expect(throws: BundleError.self) { try await transport.send(secure) }
                #expect(error?.code == .invalidArgument)
                #expect(error?.message.contains("check the certificate of that name") == true)
            }
        }
    }

    @Test(
        "refuses a URL that HTTP can't reach",
        arguments: TransportKind.allCases,
        [
            ("ftp", "example.com"), (nil, "example.com"), ("http", nil), ("http", ""), ("http", "host name"),
            ("http", "127.0.0.1:65536"), ("http", "127.0.0.1:99999999999999999999"), ("http", "[::1]:x"),
            ("http", "user@127.0.0.1"),
        ] as [(String?, String?)]
    )
    func wrongURL(_ kind: TransportKind, _ url: (scheme: String?, authority: String?)) async throws {
        try await kind.withTransport { transport in
            let request = HTTPRequest(method: .get, scheme: url.scheme, authority: url.authority, path: "/")
            let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
            #expect(error?.code == .invalidArgument)
        }
    }

    private static let addedNames: Set<String> = [
        "accept", "accept-encoding", "accept-language", "connection", "user-agent",
    ]
}
