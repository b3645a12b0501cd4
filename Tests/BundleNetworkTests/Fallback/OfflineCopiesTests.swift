import BundleNetwork
import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("With “offline”: “always”")
struct OfflineCopiesTests {
    private static let rules = #"[{"match": {"path": "/app/**"}, "offline": "always"}]"#

    @Test(
        "a page is there without a network under any Cache-Control",
        arguments: [
            "no-cache", "max-age=0, must-revalidate", "no-cache, no-store, max-age=0, must-revalidate", "no-store",
            "private", "max-age=60",
        ]
    )
    func pages(_ cacheControl: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.rules, in: directory)
            let fields: HTTPFields = [.cacheControl: cacheControl, .vary: "*", .contentType: "text/html"]
            for path in ["app/a", "other"] { fixture.publish(path, "page", fields) }
            for path in ["app/a", "other"] {
                let first = try await fixture.get(path)
                #expect(first.text == "page")
                #expect(first[.cacheControl] == cacheControl)
            }
            fixture.link.isUp = false
            let page = try await fixture.get("app/a")
            #expect(page.text == "page")
            #expect(page.status == 200 && page.layer == .stale)
            #expect(page[.contentType] == "text/html")
            #expect(try await fixture.get("app/a", [.range: "bytes=1-2"]).text == "ag")
            #expect(try await fixture.get("app/a", method: .head).status == 200)
            #expect(try await fixture.get("other").status == 504)
        }
    }

    @Test("a copy is used only when the network doesn't respond, and is the latest that was sent")
    func network() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.rules, in: directory)
            for text in ["old", "new"] {
                fixture.publish("app/a", text, [.cacheControl: "no-store"])
                #expect(try await fixture.get("app/a").text == text)
                fixture.clock.advance(by: .seconds(1))
            }
            let url = RulingFixture.origin + "app/a"
            fixture.network.response(url, .serviceUnavailable, [:], "an error")
            #expect(try await fixture.get("app/a").status == 503)
            fixture.network.response(url) { _ in throw BundleError(.networkUnavailable, "the network is gone") }
            #expect(try await fixture.get("app/a").text == "new")
        }
    }

    @Test(
        "a slow network is waited for, and a response that comes after the time of a rule renews the copy",
        arguments: [nil, 300]
    )
    func slow(_ timeLimit: Int?) async throws {
        try await withTemporaryDirectory { directory in
            let limit = timeLimit.map { #""strategy": "network-first", "timeLimit": \#($0),"# } ?? ""
            let rules = #"[{"match": {"path": "/app/**"}, \#(limit) "offline": "always"}]"#
            let fixture = try RulingFixture(rules, in: directory)
            fixture.publish("app/a", "old", [.cacheControl: "no-store"])
            #expect(try await fixture.get("app/a").text == "old")
            let latch = Latch()
            fixture.network.response(RulingFixture.origin + "app/a") { _ in
                try await latch.wait()
                return OriginResponse(.ok, [.cacheControl: "no-store"], "new")
            }
            let request = Task { try await fixture.get("app/a") }
            try await latch.waitForArrivals()
            if timeLimit == nil {
                latch.open()
                #expect(try await request.value.text == "new")
            } else {
                try await fixture.clock.waitForSleeps(2)
                fixture.clock.advance(by: .seconds(2))
                #expect(try await request.value.text == "old")
                latch.open()
            }
            fixture.link.isUp = false
            try await eventually { try await fixture.get("app/a").text == "new" }
        }
    }

    @Test("copies keep no cookies, and neither a stream of events nor a response to a request with no-store is kept")
    func fields() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.rules, in: directory)
            fixture.publish("app/a", "x", [.cacheControl: "no-store", .setCookie: "a=1"])
            fixture.publish("app/b", "x", [.cacheControl: "no-store", .contentType: "text/event-stream"])
            fixture.publish("app/c", "x", [.cacheControl: "no-store"])
            #expect(try await fixture.get("app/a")[.setCookie] != nil)
            _ = try await fixture.get("app/b")
            _ = try await fixture.get("app/c", [.cacheControl: "no-store"])
            fixture.link.isUp = false
            let copy = try await fixture.get("app/a")
            #expect(copy.text == "x" && copy[.setCookie] == nil)
            for path in ["app/b", "app/c"] { #expect(try await fixture.get(path).status == 504) }
        }
    }

    @Test("a redirect that HTTP forbids to store is replayed, though nobody has read its content")
    func redirect() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.rules, in: directory)
            let url = RulingFixture.origin + "app/a"
            fixture.network.response(url) { _ in
                let content = AsyncStream<[UInt8]> { $0.yield(Array("moved".utf8)) }
                let head = HTTPResponse(status: .found, headerFields: [.location: "/shop/app/b", .contentLength: "5"])
                return OriginResponse(head: head, body: BodyStream(content))
            }
            #expect(await fixture.begin("app/a").head.status == .found)
            fixture.link.isUp = false
            let redirect = try await fixture.get("app/a")
            #expect(redirect.status == 302 && redirect.bytes.isEmpty)
            #expect(redirect[.location] == "/shop/app/b")
        }
    }

    @Test("neither errors are kept, nor what several users could get, nor responses to Authorization unless said")
    func exceptions() async throws {
        let rules = """
            [{"match": {"path": "/app/said/**"}, "offline": "always", "keepAuthorized": true},
             {"match": {"path": "/app/**"}, "offline": "always"}]
            """
        for isShared in [false, true] {
            try await withTemporaryDirectory { directory in
                let fixture = try RulingFixture(rules, in: directory, isShared: isShared)
                for path in ["app/a", "app/said/a", "app/b"] { fixture.publish(path, "x", [.cacheControl: "no-store"]) }
                fixture.network.response(RulingFixture.origin + "app/c", .notFound, [.cacheControl: "no-store"], "x")
                let authorized: HTTPFields = [.authorization: "Basic YQ=="]
                for path in ["app/a", "app/said/a"] { _ = try await fixture.get(path, authorized) }
                for path in ["app/b", "app/c"] { _ = try await fixture.get(path) }
                fixture.link.isUp = false
                #expect(try await fixture.get("app/a", authorized).status == 504)
                #expect(try await fixture.get("app/said/a", authorized).status == (isShared ? 504 : 200))
                #expect(try await fixture.get("app/b").status == (isShared ? 504 : 200))
                #expect(try await fixture.get("app/c").status == 504)
            }
        }
    }

    private static let userRules = """
        [{"match": {"path": "/app/all/**"}, "offline": "always", "userCookies": []},
         {"match": {"path": "/app/session/**"}, "offline": "always", "userCookies": ["s"]},
         {"match": {"path": "/app/**"}, "offline": "always"}]
        """

    /// Responds with the request's cookies.
    private static func respondWithCookies(_ path: String, _ fields: HTTPFields, _ fixture: RulingFixture) {
        fixture.network.response(RulingFixture.origin + path) { request in
            let cookies = request.headerFields[.cookie] ?? "none"
            let tag = cookies.filter { $0 != " " }
            return OriginResponse(.ok, fields + [.eTag: "\"\(tag)\""], cookies)
        }
    }

    @Test(
        "what was sent to one user is sent to no other, unless a rule says which cookies don't tell users apart",
        arguments: ["no-cache", "no-store", "no-store with Vary"]
    )
    func users(_ kind: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.userRules, in: directory)
            var fields: HTTPFields = [.cacheControl: kind == "no-cache" ? kind : "no-store"]
            if kind.hasSuffix("Vary") { fields[.vary] = "Cookie, Accept" }
            let paths = ["app/a", "app/session/a", "app/all/a"]
            for path in paths {
                Self.respondWithCookies(path, fields, fixture)
                #expect(try await fixture.get(path, [.cookie: "s=1; t=1"]).text == "s=1; t=1")
            }
            fixture.link.isUp = false
            for (cookies, statuses) in [
                ("t=1; s=1", [200, 200, 200]), ("s=1; t=2", [504, 200, 200]), ("s=1", [504, 200, 200]),
                ("s=2; t=1", [504, 504, 200]), ("s=11; t=1", [504, 504, 200]), (nil, [504, 504, 200]),
            ] {
                for (path, status) in zip(paths, statuses) {
                    let response = try await fixture.get(path, cookies.map { [.cookie: $0] } ?? [:])
                    #expect(response.status == status, "\(path) \(cookies ?? "")")
                    if status == 200 { #expect(response.text == "s=1; t=1") }
                }
            }
        }
    }

    @Test("what was sent to a request without cookies is for all, also after a user has got the page")
    func all() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.userRules, in: directory)
            Self.respondWithCookies("app/a", [.cacheControl: "no-store"], fixture)
            for cookies in [nil, "s=1", "s=2"] {
                _ = try await fixture.get("app/a", cookies.map { [.cookie: $0] } ?? [:])
                fixture.clock.advance(by: .seconds(1))
            }
            fixture.link.isUp = false
            // Of the users the last has a copy.
            for (cookies, text) in [(nil, "none"), ("s=1", "none"), ("s=2", "s=2"), ("s=3", "none")] {
                #expect(try await fixture.get("app/a", cookies.map { [.cookie: $0] } ?? [:]).text == text)
            }
        }
    }

    @Test("what HTTP lets be stored of a request with Authorization is sent to requests with the same, unless said")
    func authorized() async throws {
        let rules = """
            [{"match": {"path": "/app/said/**"}, "offline": "always", "keepAuthorized": true},
             {"match": {"path": "/app/**"}, "offline": "always"}]
            """
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(rules, in: directory)
            for path in ["app/a", "app/said/a"] {
                fixture.publish(path, "x", [.cacheControl: "no-cache", .eTag: "\"1\""])
                _ = try await fixture.get(path, [.authorization: "Basic YQ=="])
            }
            fixture.link.isUp = false
            for (value, status) in [("Basic YQ==", 200), ("Basic Yg==", 504), (nil, 504)] {
                let fields: HTTPFields = value.map { [.authorization: $0] } ?? [:]
                #expect(try await fixture.get("app/a", fields).status == status)
                #expect(try await fixture.get("app/said/a", fields).status == 200)
            }
        }
    }

    @Test("a user for whom the origin confirms a stored response gets it without a network")
    func confirmed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.userRules, in: directory)
            fixture.network.response(RulingFixture.origin + "app/a") { request in
                let isConfirmed = request.headerFields.contains(.ifNoneMatch)
                let fields: HTTPFields = [.cacheControl: "no-cache", .eTag: "\"1\""]
                return OriginResponse(isConfirmed ? .notModified : .ok, fields, isConfirmed ? "" : "x")
            }
            for cookies in ["s=1", "s=2"] {
                #expect(try await fixture.get("app/a", [.cookie: cookies]).text == "x")
            }
            fixture.link.isUp = false
            #expect(try await fixture.get("app/a", [.cookie: "s=1"]).status == 504)
            #expect(try await fixture.get("app/a", [.cookie: "s=2"]).text == "x")
        }
    }

    /// A response that comes when its client has gone.
    enum LateResponse: CaseIterable {
        case withLength, withoutLength, onMeteredLink
    }

    @Test(
        "a late response that is too long, or comes on a link that has become metered, isn't read to its end",
        arguments: LateResponse.allCases
    )
    func late(_ kind: LateResponse) async throws {
        try await withTemporaryDirectory { directory in
            let rules =
                #"[{"match": {"path": "/app/**"}, "strategy": "network-first", "timeLimit": 300, "offline": "always"}]"#
            let fixture = try RulingFixture(rules, in: directory)
            fixture.publish("app/a", "old", [.cacheControl: "no-store"])
            #expect(try await fixture.get("app/a").text == "old")
            let (latch, ended) = (Latch(), Latch())
            fixture.network.response(RulingFixture.origin + "app/a") { _ in
                try await latch.wait()
                let (chunks, source) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
                source.onTermination = { _ in ended.open() }
                let count = kind == .withoutLength ? 9 : 1
                for _ in 0..<count { source.yield([UInt8](repeating: 7, count: 1_000_000)) }
                var head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"])
                if kind == .withLength { head.headerFields[.contentLength] = "9000000" }
                return OriginResponse(head: head, body: BodyStream(chunks))
            }
            let request = Task { try await fixture.get("app/a") }
            try await latch.waitForArrivals()
            try await fixture.clock.waitForSleeps(2)
            fixture.clock.advance(by: .seconds(2))
            #expect(try await request.value.text == "old")
            fixture.link.isMetered = kind == .onMeteredLink
            latch.open()
            try await ended.wait()
            fixture.link.isUp = false
            #expect(try await fixture.get("app/a").text == "old")
        }
    }

    @Test("copies are of use for as many days as a rule says")
    func days() async throws {
        try await withTemporaryDirectory { directory in
            let rules = #"[{"match": {"path": "/app/**"}, "offline": "always", "keepDays": 2}]"#
            let fixture = try RulingFixture(rules, in: directory)
            fixture.publish("app/a", "x", [.cacheControl: "no-store"])
            _ = try await fixture.get("app/a")
            fixture.link.isUp = false
            fixture.clock.advance(by: .seconds(2 * 24 * 3_600 - 10))
            #expect(try await fixture.get("app/a").text == "x")
            fixture.clock.advance(by: .seconds(20))
            #expect(try await fixture.get("app/a").status == 504)
        }
    }

    @Test("copies go with the version under which they were made")
    func version() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try RulingFixture(Self.rules, in: directory)
            fixture.publish("app/a", "x", [.cacheControl: "no-store"])
            _ = try await fixture.get("app/a")
            try fixture.install("2.0.0")
            fixture.link.isUp = false
            #expect(try await fixture.get("app/a").status == 504)
        }
    }
}
