import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import ServiceLifecycle
import Testing

@testable import BundleServer

/// What pages of a shop get to know and may say. Its 1.1.0 has to be confirmed.
@Suite("Pages that ask about their bundle")
struct PageResponderTests {
    private static let host = "shop.localhost"
    private static let json = "Content-Type: application/json"
    private static let sameOrigin = "Sec-Fetch-Site: same-origin"

    @Test("a page gets the nonce of its own release alone")
    func nonce() async throws {
        try await withPages { pages async throws in
            #expect(try await pages.state(cookie: "1.1.0")["nonce"]?.string == pages.nonce)
            for other in ["1.0.0", "9.9.9", nil] {
                let state = try await pages.state(cookie: other)
                #expect(state["nonce"] == nil)
                #expect(state["active"]?.string == "1.1.0")
                #expect(state["state"]?.string == "probation")
                #expect(state["page"]?.string == (other == "1.0.0" ? other : nil))
            }
        }
    }

    @Test("a page that names its version gets no nonce when another tab has loaded another release")
    func namedPage() async throws {
        try await withPages { pages async throws in
            for (named, isOwn) in [("1.1.0", true), ("1.0.0", false), ("9.9.9", false), ("", false)] {
                let state = try await pages.state("?page=\(named)", cookie: "1.1.0")
                #expect(state["nonce"]?.string == (isOwn ? pages.nonce : nil))
                #expect(state["page"]?.string == (isOwn ? named : nil))
                #expect(state["active"]?.string == "1.1.0")
            }
            #expect(try await pages.state("?page=1.1.0", cookie: nil)["nonce"] == nil, "a name alone proves nothing")
            #expect(
                try await pages.post("good?page=1.1.0", #"{"nonce": "\#(pages.nonce)"}"#, cookie: "1.1.0").status == 204
            )
            #expect(try pages.probation == nil)
            // Nothing has to be confirmed any more, and this isn't what is active.
            #expect(try await pages.post("good?page=1.0.0", "{}", cookie: "1.1.0").status == 409)
        }
    }

    @Test(
        "a page below a path, whose calls are above it, gets the nonce of its release too",
        arguments: [("m.example.com", "/shop/"), ("localhost", "/mounted/"), ("shop.localhost", "/")]
    )
    func below(_ host: String, _ root: String) async throws {
        try await withPages(origins: #"[{"url": "https://m.example.com/shop/", "path": "/"}]"#) { pages async throws in
            var jar = CookieJar()
            let page = try await pages.endpoint.get(root, host: host, ["Sec-Fetch-Dest: document"])
            #expect(page.text == "1.1.0")
            jar.take(page)
            #expect(jar.field(for: root) == ["Cookie: offline-bundles.shop=1.1.0"])
            for path in ["/.bundles/shop", "/.bundles/shop/good", "/.bundles/shop?page=1.1.0"] {
                #expect(jar.field(for: path) == ["Cookie: offline-bundles.shop=1.1.0"])
            }
            #expect(root == "/" || jar.field(for: "/.bundles/shopping").isEmpty)
            let again = try await pages.endpoint.get(
                root,
                host: host,
                ["Sec-Fetch-Dest: document"] + jar.field(for: root)
            )
            #expect(again.fields.allSatisfy { $0.name != "set-cookie" })
            let call = try await pages.endpoint.get("/.bundles/shop", host: host, jar.field(for: "/.bundles/shop"))
            let state = try JSONDecoder().decode(AnyJSON.self, from: Data(call.body))
            #expect(state["nonce"]?.string == pages.nonce)
        }
    }

    @Test(
        "a call below the bundle's own root is the same, so that a page needn't know what a proxy removes from its path",
        arguments: [
            ("m.example.com", "/shop/", true), ("localhost", "/mounted/", true), ("shop.localhost", "/", true),
            ("localhost", "/shop/", false), ("localhost", "/x/", false), ("localhost", "/mounted/x/", false),
            ("news.localhost", "/mounted/", false), ("localhost", "/?x=/mounted/", false),
        ]
    )
    func atRoot(_ host: String, _ root: String, _ isCall: Bool) async throws {
        try await withPages(origins: #"[{"url": "https://m.example.com/shop/", "path": "/"}]"#) { pages async throws in
            let cookie = ["Cookie: offline-bundles.shop=1.1.0"]
            let call = try await pages.endpoint.get("\(root).bundles/shop?page=1.1.0", host: host, cookie)
            #expect(call.text.contains(pages.nonce) == isCall)
            let fields = ["Sec-Fetch-Site: same-origin", "Content-Type: application/json"]
            let good = try await pages.send(
                "POST \(root).bundles/shop/good HTTP/1.1",
                fields + cookie,
                #"{"nonce": "\#(pages.nonce)"}"#,
                host: host
            )
            #expect((good.status == 204) == isCall)
            #expect(try await pages.endpoint.get("\(root).bundles/news", host: host).status != 200)
        }
    }

    @Test("where bundles share a host, a page can't make another one's calls below that one's root")
    func sharedRoot() async throws {
        try await withPages(configure: { $0.addresses.sharesOrigin = true }) { pages async throws in
            let cookie = ["Cookie: offline-bundles.shop=1.1.0"]
            let call = try await pages.endpoint.get("/shop/.bundles/shop", host: "localhost", cookie)
            #expect(call.status == 404 && !call.text.contains(pages.nonce))
        }
    }

    @Test(
        "where bundles of other publishers may have pages, no page has a cookie for the calls",
        arguments: ["/shop/", "/news/"]
    )
    func shared(_ root: String) async throws {
        try await withPages(configure: { $0.addresses.sharesOrigin = true }) { pages async throws in
            let page = try await pages.endpoint.get(root, host: "localhost", ["Sec-Fetch-Dest: document"])
            #expect(page["set-cookie"]?.hasSuffix("; Path=\(root); SameSite=Lax; HttpOnly") == true)
        }
    }

    @Test("a page confirms its release with the nonce, and again without harm")
    func confirmation() async throws {
        try await withPages { pages async throws in
            let body = #"{"nonce": "\#(pages.nonce)"}"#
            for _ in 1...2 {
                #expect(try await pages.post("good", body, cookie: "1.1.0").status == 204)
                #expect(try pages.probation == nil)
            }
            #expect(try pages.store.history().filter { $0.kind == .confirmed }.count == 1)
            #expect(try await pages.state(cookie: "1.1.0")["state"]?.string == "active")
        }
    }

    @Test(
        "a page of another release, or one that guesses, can't",
        arguments: ["{}", #"{"nonce": ""}"#, #"{"nonce": "00000000000000000000000000000000"}"#]
    )
    func foreign(_ body: String) async throws {
        try await withPages { pages async throws in
            for cookie in ["1.0.0", "1.1.0", nil] {
                #expect(try await pages.post("good", body, cookie: cookie).status == 409)
            }
            #expect(try pages.probation != nil)
        }
    }

    @Test("the nonce of an earlier activation is worth nothing")
    func earlier() async throws {
        try await withPages { pages async throws in
            try pages.store.rollBack(pages.name)
            try pages.store.activate(pages.name, BundleVersion("1.1.0"))
            let body = #"{"nonce": "\#(pages.nonce)"}"#
            #expect(try await pages.post("good", body, cookie: "1.1.0").status == 409)
            #expect(try pages.probation != nil)
        }
    }

    @Test(
        "pages of other origins, forms and odd contents are refused",
        arguments: [
            ("Sec-Fetch-Site: cross-site", json, #"{"nonce": "N"}"#, 403),
            ("Sec-Fetch-Site: same-site", json, #"{"nonce": "N"}"#, 403),
            ("Origin: http://news.localhost", json, #"{"nonce": "N"}"#, 403),
            (sameOrigin, "Content-Type: text/plain", #"{"nonce": "N"}"#, 415),
            (sameOrigin, "Content-Type: application/x-www-form-urlencoded", "nonce=N", 415),
            (sameOrigin, "X: y", #"{"nonce": "N"}"#, 415), (sameOrigin, json, "nonce", 400),
            (sameOrigin, json, "", 400),
            (sameOrigin, json, #"{"nonce": 7}"#, 400),
            (sameOrigin, json, "{\"nonce\": \"N\", \"x\": \"\(String(repeating: "x", count: 20_000))\"}", 400),
        ]
    )
    func refused(_ site: String, _ type: String, _ body: String, _ status: Int) async throws {
        try await withPages { pages async throws in
            let body = body.replacing("N", with: pages.nonce)
            let response = try await pages.send("POST /.bundles/shop/good HTTP/1.1", [site, type], body)
            #expect(response.status == status)
            #expect(try pages.probation != nil)
        }
    }

    @Test("a state is for pages of the same origin and for users")
    func readers() async throws {
        try await withPages { pages async throws in
            for (site, status) in [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)] {
                let response = try await pages.send("GET /.bundles/shop HTTP/1.1", ["Sec-Fetch-Site: \(site)"], nil)
                #expect(response.status == status)
                #expect(response["cache-control"] == "no-store")
            }
            #expect(try await pages.send("DELETE /.bundles/shop HTTP/1.1", [], nil)["allow"] == "GET, HEAD")
            #expect(try await pages.send("GET /.bundles/shop/good HTTP/1.1", [], nil)["allow"] == "POST")
        }
    }

    @Test("the state of a bundle is served on its own hosts alone")
    func hosts() async throws {
        try await withPages { pages async throws in
            for (host, status) in [("shop.localhost", 200), ("localhost", 200), ("news.localhost", 404)] {
                #expect(try await pages.endpoint.get("/.bundles/shop", host: host).status == status)
            }
        }
    }

    @Test("eight reports of a release are kept, cut to 512 bytes; four of them are for pages with its nonce")
    func reports() async throws {
        try await withPages { pages async throws in
            func report(_ number: Int, _ nonce: String?) async throws {
                let message = "\(number) \(String(repeating: "x", count: 600))"
                let proof = nonce.map { #", "nonce": "\#($0)""# } ?? ""
                let body = #"{"message": "\#(message)"\#(proof)}"#
                #expect(try await pages.post("bad", body, cookie: "1.1.0").status == 204)
            }
            func count() throws -> Int { try pages.store.history().count { $0.kind == .reported } }
            for number in 1...6 { try await report(number, number % 2 == 0 ? "guessed" : nil) }
            #expect(try count() == 4)
            for number in 7...13 { try await report(number, pages.nonce) }
            #expect(try await pages.post("bad", #"{"message": "late"}"#, cookie: "1.0.0").status == 204)
            let reports = try pages.store.history().filter { $0.kind == .reported }
            #expect(reports.map(\.version?.string) == Array(repeating: "1.1.0", count: 8) + ["1.0.0"])
            for named in ["1.0.0", "9.9.9", "x"] {
                let body = #"{"message": "of \#(named)"}"#
                #expect(try await pages.post("bad?page=\(named)", body, cookie: "1.1.0").status == 204)
            }
            let named = try pages.store.history().filter { $0.kind == .reported }.dropFirst(reports.count)
            #expect(named.map(\.version?.string) == ["1.0.0"])
            #expect(named.map(\.detail) == ["of 1.0.0"])
            #expect(reports.allSatisfy { ($0.detail?.utf8.count ?? 0) <= 512 })
            #expect(try pages.probation != nil)
        }
    }

    @Test("all reports of a release that needn't be confirmed may come without a nonce: it has none")
    func reportsWithoutNonce() async throws {
        try await withPages { pages async throws in
            for number in 1...9 {
                let body = #"{"message": "\#(number)"}"#
                #expect(try await pages.post("bad", body, cookie: "1.0.0").status == 204)
            }
            let reports = try pages.store.history().filter { $0.kind == .reported }
            #expect(reports.map(\.version?.string) == Array(repeating: "1.0.0", count: 8))
        }
    }

    @Test("a stream tells the state at once and with each change, and ends with the server")
    func stream() async throws {
        try await withPages { pages async throws in
            try await withRawConnection(to: pages.endpoint.port) { connection async throws in
                try await connection.send("GET /.bundles/shop/events HTTP/1.1\r\nHost: \(Self.host)\r\n\r\n")
                let head = try await connection.head()
                #expect(head["content-type"] == "text/event-stream")
                let first = try await connection.event()
                #expect(first.contains(#""active":"1.1.0""#))
                #expect(!first.contains("nonce"))
                try pages.store.rollBack(pages.name)
                let event = try await connection.event(moving: pages.clock, by: StoreChangeService.interval)
                #expect(event.contains(#""active":"1.0.0""#))
                try await pages.clock.step(by: EventStreamLimits.heartbeat)
                try await pages.clock.step(by: StoreChangeService.interval)
                #expect(try await connection.chunk() == ":\n\n")
                await pages.endpoint.group.triggerGracefulShutdown()
                #expect(try await connection.chunk() == "")
            }
        }
    }

    @Test("a page that knows the state already isn't told again")
    func lastEvent() async throws {
        try await withPages { pages async throws in
            let head = "GET /.bundles/shop/events HTTP/1.1\r\nHost: \(Self.host)\r\n"
            let identifier = try await withRawConnection(to: pages.endpoint.port) { connection async throws in
                try await connection.send(head + "\r\n")
                _ = try await connection.head()
                return try await connection.event().split(separator: "\n").first.map { $0.dropFirst(4) } ?? ""
            }
            try await withRawConnection(to: pages.endpoint.port) { connection async throws in
                try await connection.send(head + "Last-Event-ID: \(identifier)\r\n\r\n")
                _ = try await connection.head()
                try pages.store.rollBack(pages.name)
                let event = try await connection.event(moving: pages.clock, by: StoreChangeService.interval)
                #expect(event.contains(#""active":"1.0.0""#))
            }
        }
    }
}

/// A shop on an endpoint, and its pages.
private struct Pages {
    let endpoint: RunningEndpoint
    let store: BundleStore
    let clock: TestClock
    let nonce: String
    let name = BundleName("shop")

    var probation: Probation? {
        get throws {
            try store.refresh()
            return store.snapshot.bundles[name]?.lifecycle.probation
        }
    }

    func state(_ query: String = "", cookie: String?) async throws -> AnyJSON {
        let fields = cookie.map { ["Cookie: offline-bundles.shop=\($0)"] } ?? []
        let response = try await endpoint.get("/.bundles/shop\(query)", host: "shop.localhost", fields)
        #expect(response["content-type"] == "application/json")
        return try JSONDecoder().decode(AnyJSON.self, from: Data(response.body))
    }

    func post(_ action: String, _ body: String, cookie: String?) async throws -> RawResponse {
        let fields = ["Sec-Fetch-Site: same-origin", "Content-Type: application/json; charset=utf-8"]
        let cookies = cookie.map { ["Cookie: offline-bundles.shop=\($0)"] } ?? []
        return try await send("POST /.bundles/shop/\(action) HTTP/1.1", fields + cookies, body)
    }

    func send(_ line: String, _ fields: [String], _ body: String?, host: String = "shop.localhost") async throws
        -> RawResponse
    {
        try await withRawConnection(to: endpoint.port) { connection async throws in
            let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
            let head = ([line, "Host: \(host)"] + fields + length).joined(separator: "\r\n")
            try await connection.send("\(head)\r\n\r\n\(body ?? "")")
            return try await connection.response()
        }
    }
}

/// The cookies of a browser for one host (RFC 6265 §5.1.4, §5.3).
private struct CookieJar {
    /// By path.
    private var cookies: [String: String] = [:]

    mutating func take(_ response: RawResponse) {
        for field in response.fields where field.name == "set-cookie" {
            let parts = field.value.components(separatedBy: "; ")
            let path = parts.first { $0.hasPrefix("Path=") }.map { String($0.dropFirst(5)) } ?? "/"
            cookies[path] = parts[0]
        }
    }

    /// The field of a request, with the cookies whose paths match its path.
    func field(for target: String) -> [String] {
        let path = target.prefix { $0 != "?" }
        let matching = cookies.filter { scope, _ in
            path == scope || path.hasPrefix(scope.hasSuffix("/") ? scope : scope + "/")
        }
        return matching.isEmpty ? [] : ["Cookie: " + matching.values.sorted().joined(separator: "; ")]
    }
}

/// The shop is mounted at `/mounted`, too.
private func withPages(
    origins: String = "[]",
    configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
    _ body: (Pages) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        let clock = TestClock()
        let store = try BundleStore(at: folder.path(of: "store"), creating: true, now: clock.read)
        try store.install(#"{"name": "news", "version": "1", "origins": []}"#, ["index.html": "news"])
        for (version, health) in [("1.0.0", ""), ("1.1.0", #", "health": {"within": "30s", "starts": 5}"#)] {
            let manifest = #"{"name": "shop", "version": "\#(version)", "origins": \#(origins)\#(health)}"#
            try store.install(manifest, ["index.html": version])
        }
        let mount = try #require(Mount("shop=/mounted"))
        let name = BundleName("shop")
        let nonce = try #require(store.snapshot.bundles[name]?.lifecycle.probation?.nonce)
        try await withEndpoint(
            store,
            clock: clock,
            now: clock.read,
            configure: {
                $0.addresses.mounts = [mount]
                configure(&$0)
            }
        ) { endpoint in
            try await body(Pages(endpoint: endpoint, store: store, clock: clock, nonce: nonce))
        }
    }
}
