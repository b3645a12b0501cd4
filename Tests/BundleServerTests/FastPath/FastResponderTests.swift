import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("The fast path")
struct FastResponderTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "answers plain requests for bundled files",
        arguments: [
            ("GET /shop/app.js HTTP/1.1", "X: y", "HTTP/1.1 200 OK"),
            ("GET /shop/app.js?v=1 HTTP/1.1", "X: y", "HTTP/1.1 200 OK"),
            ("GET /shop/ HTTP/1.1", "X: y", "HTTP/1.1 200 OK"),
            ("GET /shop/%61pp.js HTTP/1.1", "X: y", "HTTP/1.1 200 OK"),
            ("HEAD /shop/app.js HTTP/1.1", "X: y", "HTTP/1.1 200 OK"),
            ("GET /shop/app.js HTTP/1.1", "If-None-Match: \"x\"", "HTTP/1.1 200 OK"),
            ("GET /shop/app.js HTTP/1.1", "If-None-Match: *", nil),
            ("GET /shop/app.js HTTP/1.1", "Range: bytes=0-", nil),
            ("GET /shop/missing.js HTTP/1.1", "X: y", nil), ("GET /other/app.js HTTP/1.1", "X: y", nil),
            ("GET /shop HTTP/1.1", "X: y", nil), ("POST /shop/app.js HTTP/1.1", "X: y", nil),
            ("GET /shop/app.js HTTP/1.0", "X: y", nil),
            // Where bundles have a host of their own for pages, parts of pages and what tools ask are plain.
            ("GET /shop/app.js HTTP/1.1", "Accept: */*", "HTTP/1.1 200 OK"),
            ("GET /shop/app.js HTTP/1.1", "Sec-Fetch-Mode: no-cors", "HTTP/1.1 200 OK"),
            ("GET /shop/app.js HTTP/1.1", "Sec-Fetch-Dest: image", "HTTP/1.1 200 OK"),
            ("GET /shop/app.js HTTP/1.1", "Sec-Fetch-Mode: navigate", nil),
            ("GET /shop/ HTTP/1.1", "Sec-Fetch-Dest: iframe", nil), ("GET /shop/ HTTP/1.1", "Accept: text/html", nil),
            ("GET /shop/app.js HTTP/1.1", "Service-Worker: script", nil),
        ]
    )
    func plain(_ line: String, _ field: String, _ statusLine: String?) async throws {
        try await withResponder { responder, _ in
            // Once prepared, and once ready.
            for _ in 0..<2 {
                let head = try head(of: responder.response(to: "\(line)\r\nHost: localhost\r\n\(field)\r\n\r\n"))
                #expect(head?.first == statusLine)
            }
        }
    }

    @Test("answers for each host what is there alone")
    func hosts() async throws {
        try await withResponder { responder, _ in
            let navigation = "Sec-Fetch-Mode: navigate\r\n\r\n"
            for (path, host, statusLine) in [
                ("/app.js", "shop.localhost", "HTTP/1.1 200 OK"), ("/app.js", "localhost", nil),
                ("/app.js", "gone.localhost", nil), ("/shop/app.js", "shop.localhost", nil),
                ("/app.js", "SHOP.localhost:8080", "HTTP/1.1 200 OK"), ("/app.js", "evil.example", nil),
            ] {
                let request = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(navigation)"
                for _ in 0..<2 {
                    let head = try head(of: responder.response(to: request))
                    #expect(head?.first == statusLine)
                }
            }
        }
    }

    @Test("says what the rules of HTTP say, and the date")
    func fields() async throws {
        try await withResponder { responder, layers in
            let head = try #require(
                try head(of: responder.response(to: "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            )
            let request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/shop/app.js")
            guard case .complete(let response, _) = layers.begin(request) else {
                Issue.record("there is nothing to wait for")
                return
            }
            let fields = response.head.headerFields.map { "\($0.name.rawName): \($0.value)" }
            #expect(Set(head.dropFirst()) == Set(fields + ["Date: \(Self.date)"]))
        }
    }

    @Test("tells a client that has the file so")
    func notModified() async throws {
        try await withResponder { responder, _ in
            let request = "GET /shop/logo.png HTTP/1.1\r\nHost: localhost\r\n"
            let whole = try #require(try head(of: responder.response(to: request + "\r\n")))
            let tag = try #require(whole.first { $0.hasPrefix("ETag: ") }).dropFirst("ETag: ".count)
            let head = try head(of: responder.response(to: request + "If-None-Match: \(tag)\r\n\r\n"))
            #expect(head?.first == "HTTP/1.1 304 Not Modified")
            // It has no other form, so another tag is an earlier content's.
            let other = try self.head(of: responder.response(to: request + "If-None-Match: \"other\"\r\n\r\n"))
            #expect(other?.first == "HTTP/1.1 200 OK")
        }
    }

    @Test("passes a long path on")
    func longPath() async throws {
        try await withResponder { responder, _ in
            let path = "/shop/" + String(repeating: "a", count: 2_000)
            #expect(responder.response(to: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n") == nil)
        }
    }

    @Test("passes a foreign host on")
    func foreign() async throws {
        try await withResponder { responder, _ in
            #expect(responder.response(to: "GET /shop/app.js HTTP/1.1\r\nHost: evil.example\r\n\r\n") == nil)
        }
    }

    private func head(of response: FastResponse?) throws -> [String]? {
        guard let response else { return nil }
        var bytes = [UInt8](repeating: 0, count: response.headByteCount)
        Array(Self.date.utf8).withUnsafeBytes { date in
            bytes.withUnsafeMutableBytes { bytes in bytes.baseAddress.map { response.copyHead(date: date, to: $0) } }
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        return lines.dropLast().map(String.init)
    }

    @Test("leaves the first request for a file to others when many patterns are to be compared with its path")
    func manyPatterns() async throws {
        let headers = (0..<900).map { #""/**/*\#($0)*.js": {"X-A": "\#($0)"}"# }.joined(separator: ",")
        try await withResponder(headers: headers) { responder, layers in
            let text = "GET /shop/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
            #expect(responder.response(to: text) == nil)
            let request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/shop/app.js")
            guard case .waiting(let rest) = layers.begin(request) else {
                Issue.record("the patterns were compared at once")
                return
            }
            #expect(await rest().head.status == .ok)
            guard case .complete = layers.begin(request) else {
                Issue.record("the patterns are compared again")
                return
            }
            let later = try head(of: responder.response(to: text))
            #expect(later?.first == "HTTP/1.1 200 OK")
        }
    }

    private func withResponder(
        headers: String = "",
        _ body: (inout FastResponder, LayeredResponder) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.install(
                #"{"name": "shop", "version": "1.0.0", "origins": [], "headers": {\#(headers)}}"#,
                ["index.html": "<p>shop", "app.js": "run()", "logo.png": "png"]
            )
            let resolver = LiveResolver(store)
            let layers = LayeredResponder(resolver, store: store, transport: nil, policy: CachePolicy(isShared: true))
            let hosts = HostPolicy(
                resolver: resolver,
                scheme: "http",
                listening: .tcp(host: "127.0.0.1", port: 80),
                allowed: []
            )
            let files = BundledFiles(
                resolver: resolver,
                layers: layers,
                hosts: hosts,
                fields: AddedFields([], sharedWith: []),
                isSecure: false
            )
            var responder = FastResponder(files, capacity: 16)
            try await body(&responder, layers)
        }
    }
}

extension FastResponder {
    fileprivate mutating func response(to request: String) -> FastResponse? {
        Array(request.utf8).withUnsafeBytes { bytes in
            guard case .complete(let head) = RequestHeadScanner().scan(bytes) else { return nil }
            return response(to: head, in: bytes)
        }
    }
}
