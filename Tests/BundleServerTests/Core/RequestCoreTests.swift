import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServer
@testable import ServerCore

@Suite("The steps of a request")
struct RequestCoreTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Sun, 06 Nov 2039 08:49:37 GMT"

    @Test(
        "a request that the bundles decide gets the responder's response, and the second time a ready response",
        arguments: [
            ("GET /shop/app.js", "", 200), ("GET /shop/app.js?v=1", "", 200), ("GET /shop/", "", 200),
            ("GET /shop/%61pp.js", "", 200), ("HEAD /shop/app.js", "", 200), ("GET /shop", "", 301),
            ("GET /shop?x=1", "", 301), ("GET /shop/missing.js", "", 404), ("GET /other/app.js", "", 404),
            ("HEAD /shop/missing.js", "", 404), ("GET /shop/empty.txt", "", 200),
            ("GET /shop/app.js", "If-None-Match: \"x\"", 200), ("GET /shop/app.js", "If-None-Match: *", 304),
            ("GET /shop/app.js", "If-None-Match: \"x\", W/TAG", 304), ("HEAD /shop/app.js", "If-None-Match: TAG", 304),
            ("GET /shop/app.js", "If-Modified-Since: \(later)", 304),
            ("GET /shop/app.js", "If-Modified-Since: \(date)", 200),
            ("GET /shop/app.js", "If-Match: TAG", 200), ("GET /shop/app.js", "If-Match: \"x\"", 412),
            ("GET /shop/app.js", "If-Unmodified-Since: \(date)", 412),
            ("GET /shop/app.js", "Range: bytes=1-2", 206), ("GET /shop/app.js", "Range: bytes=-2", 206),
            ("GET /shop/app.js", "Range: bytes=2-", 206), ("GET /shop/app.js", "Range: bytes=0-1,1-3", 206),
            ("GET /shop/app.js", "Range: bytes=99-", 416), ("GET /shop/app.js", "Range: lines=1-2", 200),
            ("HEAD /shop/app.js", "Range: bytes=1-2", 200), ("GET /shop/empty.txt", "Range: bytes=0-", 416),
            ("GET /shop/app.js", "Range: bytes=1-2\r\nIf-Range: TAG", 206),
            ("GET /shop/app.js", "Range: bytes=1-2\r\nIf-Range: \"x\"", 200),
            ("GET /shop/app.js", "Range: bytes=1-2\r\nIf-None-Match: TAG", 304),
            ("GET /shop/missing.js", "If-None-Match: *", 404), ("GET /shop/missing.js", "Range: bytes=0-1", 404),
            ("GET /shop/app.js", "Cookie: session=1; a=b", 200), ("GET /shop/app.js", "Accept: */*", 200),
            ("GET /shop/app.js", "Sec-Fetch-Mode: navigate", 307),
            ("GET /shop/app.js?q", "Sec-Fetch-Mode: navigate", 307),
            ("GET /shop/app.js", "Sec-Fetch-Dest: image", 200), ("GET /shop/app.js", "Accept-Encoding: br, gzip", 200),
            ("GET /shop/app.js", "Origin: https://app.example", 200),
        ]
    )
    func ready(_ line: String, _ field: String, _ status: Int) async throws {
        try await withFixture { fixture in
            let tag = try fixture.tag("/shop/app.js")
            let request = "\(line) HTTP/1.1\r\nHost: localhost\r\n\(field.replacing("TAG", with: tag))"
            let expected = try fixture.expected(request)
            #expect(expected.head.status.code == status)
            for turn in 1...2 {
                let response = try fixture.response(to: request, isReady: turn == 2 ? true : nil)
                #expect(response == Sent(expected, date: Self.date))
            }
        }
    }

    @Test("each range has its own part, and each query its own redirect")
    func variations() async throws {
        try await withFixture { fixture in
            for request in [
                "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1",
                "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\nRange: bytes=3-4",
                "GET /shop/app.js HTTP/1.1\r\nHost: localhost",
                "GET /shop HTTP/1.1\r\nHost: localhost", "GET /shop?a HTTP/1.1\r\nHost: localhost",
                "GET /shop?b HTTP/1.1\r\nHost: localhost",
                "HEAD /shop/missing.js HTTP/1.1\r\nHost: localhost", "GET /shop/missing.js HTTP/1.1\r\nHost: localhost",
            ] {
                let expected = Sent(try fixture.expected(request), date: Self.date)
                let response = try fixture.response(to: request, isReady: nil)
                #expect(response == expected, "\(request)")
            }
        }
    }

    @Test("each host has its own responses")
    func hosts() async throws {
        try await withFixture { fixture in
            for (path, host) in [
                ("/app.js", "shop.localhost"), ("/app.js", "localhost"), ("/app.js", "gone.localhost"),
                ("/shop/app.js", "shop.localhost"), ("/app.js", "SHOP.localhost:8080"), ("/app.js", "evil.example"),
            ] {
                let request = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nSec-Fetch-Mode: navigate"
                let expected = Sent(try fixture.expected(request), date: Self.date)
                for _ in 1...2 {
                    let response = try fixture.response(to: request, isReady: nil)
                    #expect(response == expected)
                }
            }
        }
    }

    @Test("no responder reads a field that isn't a deciding one")
    func decidingFields() async throws {
        try await withFixture { fixture in
            let values = [
                "", "1", "none", "document", "navigate", "no-cache", "bytes=0-1", "\"x\"", "https://a.example", "br",
            ]
            for path in ["/shop/app.js", "/shop/", "/shop", "/shop/missing.js", "/other", "/healthz"] {
                for navigation in ["", "navigate"] {
                    var request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: path)
                    if !navigation.isEmpty { request.headerFields[.secFetchMode] = navigation }
                    let expected = Sent(try fixture.complete(request), date: Self.date)
                    for name in Self.otherNames {
                        for value in values {
                            var other = request
                            if let name = HTTPField.Name(name) { other.headerFields[name] = value }
                            let sent = Sent(try fixture.complete(other), date: Self.date)
                            #expect(sent == expected, "\(name): \(value) changes \(path)")
                        }
                    }
                }
            }
        }
    }

    /// The request fields of the IANA registry that a client may send, and some that others use, without the deciding
    /// ones.
    private static let otherNames = """
        A-IM Accept-Charset Accept-Datetime Accept-Language Alt-Used Authorization Content-Encoding
        Content-Language Content-Length Content-Location Content-Range Content-Type Cookie2 DNT DPR Date Depth Destination
        Device-Memory Downlink ECT Early-Data Forwarded From If If-Schedule-Tag-Match Keep-Alive Last-Event-ID Max-Forwards
        Origin-Agent-Cluster Prefer Priority Proxy-Authorization Purpose RTT Referer Save-Data Sec-CH-UA
        Sec-CH-UA-Mobile Sec-CH-UA-Platform Sec-Fetch-Storage-Access Sec-Fetch-User Sec-GPC Sec-Purpose Sec-WebSocket-Key
        Service-Worker-Navigation-Preload TE Timeout Traceparent Upgrade-Insecure-Requests User-Agent Viewport-Width Want-Digest
        Width X-Csrf-Token X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Http-Method-Override X-Original-URL
        X-Requested-With X-Rewrite-URL
        """.split { $0 == " " || $0 == "\n" }.map(String.init)

    @Test("a response is awaited when many patterns have to be compared with the path")
    func manyPatterns() async throws {
        let headers = (0..<900).map { #""/**/*\#($0)*.js": {"X-A": "\#($0)"}"# }.joined(separator: ",")
        try await withFixture(headers: headers) { fixture in
            let text = "GET /shop/app.js HTTP/1.1\r\nHost: localhost"
            let first = try fixture.response(to: text, isReady: nil)
            #expect(first == nil)
            let request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/shop/app.js")
            guard
                case .waiting(let rest) = fixture.responder.begin(request, on: ConnectionInfo(port: nil, isLocal: true))
            else {
                Issue.record("the patterns were compared without waiting")
                return
            }
            #expect(await rest(.none).head.status == .ok)
            _ = try fixture.response(to: text, isReady: nil)
            let later = try fixture.response(to: text, isReady: true)
            #expect(later?.status == 200)
        }
    }

    @Test("an invalid host is refused", arguments: ["a b", "a/b", "[::1", "a:b"])
    func invalidHost(_ host: String) async throws {
        try await withFixture { fixture in
            let request = "GET /shop/app.js HTTP/1.1\r\nHost: \(host)"
            try fixture.respond(to: request) { outcome in
                guard case .malformed(.host) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
        }
    }

    @Test("the response to a very long target isn't kept")
    func longTarget() async throws {
        try await withFixture { fixture in
            let request = "GET /shop/app.js?\(String(repeating: "a", count: 3_000)) HTTP/1.1\r\nHost: localhost"
            for _ in 1...2 {
                let response = try fixture.response(to: request, isReady: false)
                #expect(response?.status == 200)
            }
        }
    }

    @Test("a client on this machine gets files as they are, whichever client has asked before")
    func localClients() async throws {
        for order in [[true, false, true, false], [false, true, false, true]] {
            try await withFixture(script: String(repeating: "run();", count: 100), variants: OneVariant()) { fixture in
                let request = "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br"
                for (turn, isLocal) in order.enumerated() {
                    fixture.isLocal = isLocal
                    let response = try fixture.response(to: request, isReady: turn > 1 ? true : nil)
                    let sent = try #require(response)
                    #expect(sent.fields.contains("Content-Encoding: br") == !isLocal)
                    #expect(sent.fields.contains { $0.hasPrefix("Vary: Accept-Encoding, ") })
                    #expect((sent.body == "coded") == !isLocal)
                }
            }
        }
    }

    @Test("a client keeps what it has when it comes another way, unless it would have to decode it on this machine")
    func changedPath() async throws {
        try await withFixture(script: String(repeating: "run();", count: 100), variants: OneVariant()) { fixture in
            let plain = try fixture.tag("/shop/app.js")
            let coded = "\(plain.dropLast())-br\""
            for (isLocal, tag, status, selected) in [
                (false, plain, 304, plain), (false, coded, 304, coded), (true, plain, 304, plain),
                (true, coded, 200, plain),
            ] {
                fixture.isLocal = isLocal
                let request =
                    "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br\r\nIf-None-Match: \(tag)"
                for _ in 1...2 {
                    let response = try fixture.response(to: request, isReady: nil)
                    let sent = try #require(response)
                    #expect(sent.status == status)
                    #expect(sent.fields.contains("ETag: \(selected)"))
                    #expect(sent.fields.contains { $0.hasPrefix("Vary: Accept-Encoding, ") })
                }
            }
        }
    }

    private func withFixture(
        headers: String = "",
        script: String = "run()",
        variants: (any VariantProvider)? = nil,
        _ body: (inout Fixture) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.install(
                #"{"name": "shop", "version": "1.0.0", "origins": [], "headers": {\#(headers)}}"#,
                ["index.html": "<p>shop", "app.js": script, "empty.txt": ""]
            )
            var fixture = Fixture(store, variants, date: Self.date)
            try await body(&fixture)
        }
    }
}

/// Has one coding of every file.
private struct OneVariant: VariantProvider {
    let generation: Int64 = 0

    func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant] {
        [ContentVariant(VariantKey(asset.digest, .brotli), ByteSlice(copying: Array("coded".utf8)))]
    }

    func pendingDelta(of asset: Asset, for preferences: CodingPreferences) -> (@Sendable () async -> Void)? { nil }
}

/// The response that a client gets.
private struct Sent: Equatable {
    var status: Int
    var fields: Set<String>
    var body: String

    init(_ response: Response, date: String) {
        status = response.head.status.code
        fields = Set(response.head.headerFields.map { "\($0.name.rawName): \($0.value)" } + ["Date: \(date)"])
        body = String(decoding: response.body.array, as: UTF8.self)
    }

    init(_ form: ReadyForm, date: String) throws {
        guard case .http1(let head) = form.head else { throw BundleError(.invalidArgument, "not a head of HTTP/1") }
        let bytes = Array(date.utf8).withUnsafeBytes { head.bytes(date: $0) } + (form.part?.lines ?? [])
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        status = form.status
        #expect(lines.first?.hasPrefix("HTTP/1.1 \(form.status) ") == true)
        fields = Set(lines.dropFirst())
        body = form.body.map { String(decoding: $0.array, as: UTF8.self) } ?? ""
    }
}

/// A core, and its responder.
private struct Fixture: ~Copyable {
    let responder: EndpointResponder
    /// Whether the client is on this machine.
    var isLocal = true
    private var core: RequestCore
    private let date: String

    init(_ store: BundleStore, _ variants: (any VariantProvider)?, date: String) {
        let resolver = LiveResolver(store)
        var configuration = BundleEndpoint.Configuration()
        configuration.address = .tcp(host: "127.0.0.1", port: 80)
        configuration.allowedOrigins = [.named("https://app.example")]
        responder = EndpointResponder(
            layers: LayeredResponder(
                resolver,
                store: store,
                transport: nil,
                policy: CachePolicy(isShared: true),
                variants: variants
            ),
            live: LiveConfiguration(configuration) { ResponseTerms($0, store, resolver, isSecure: false) },
            health: EndpointHealth(),
            pages: PageResponder(
                store,
                resolver,
                PageStreams(store),
                PageCallCounts(),
                PageActions(
                    store,
                    DashboardJobs(nil, isOffline: true, logger: RecordedLog().logger),
                    clock: ContinuousClock(),
                    logger: RecordedLog().logger
                )
            ),
            loads: PageLoads(store, resolver, hasVersionCookies: false),
            missing: MissingParts(store, resolver),
            codesForLocalClients: false,
            isSecure: false,
            refresh: PromptRefresh(store, resolver)
        )
        core = RequestCore(responder, capacity: 64)
        self.date = date
    }

    mutating func respond<Result>(to request: String, _ body: (RequestCore.Outcome) throws -> Result) throws -> Result {
        try Array("\(request)\r\n\r\n".replacing("\r\n\r\n\r\n", with: "\r\n\r\n").utf8).withUnsafeBytes { bytes in
            guard case .complete(let head) = RequestHeadScanner().scan(bytes), head.isPlain else {
                throw BundleError(.invalidArgument, "not a plain request: \(request)")
            }
            let outcome = core.respond(
                to: head.view(of: bytes),
                as: .http1,
                on: ConnectionInfo(port: 80, isLocal: isLocal)
            ) {
                () throws(MalformedRequest) in try HTTPRequest(head, in: bytes)
            }
            return try body(outcome)
        }
    }

    /// The response; nil when it has to be awaited.
    ///
    /// - Parameter isReady: Whether it must be a ready response; nil when that doesn't matter.
    mutating func response(to request: String, isReady: Bool?) throws -> Sent? {
        let date = date
        return try respond(to: request) { outcome in
            switch outcome {
            case .ready(let form):
                #expect(isReady != false)
                return try Sent(form, date: date)
            case .single(let response, _):
                #expect(isReady != true, "\(request) isn't ready")
                return Sent(response, date: date)
            case .waiting: return nil
            case .malformed(let problem): throw problem
            }
        }
    }

    /// The responder's response to the request with all fields.
    func expected(_ request: String) throws -> Response {
        let full = try Array("\(request)\r\n\r\n".replacing("\r\n\r\n\r\n", with: "\r\n\r\n").utf8).withUnsafeBytes {
            bytes in
            guard case .complete(let head) = RequestHeadScanner().scan(bytes) else {
                throw BundleError(.invalidArgument, "not a request: \(request)")
            }
            return try HTTPRequest(head, in: bytes)
        }
        return try complete(full)
    }

    func complete(_ request: HTTPRequest) throws -> Response {
        guard
            case .complete(let response, _, _) = responder.begin(
                request,
                on: ConnectionInfo(port: nil, isLocal: isLocal)
            )
        else {
            throw BundleError(.invalidArgument, "\(request) waits")
        }
        return response
    }

    func tag(_ path: String) throws -> String {
        let request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: path)
        return try complete(request).head.headerFields[.eTag] ?? ""
    }
}
