import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Network rules at the responder")
struct NetworkRulingTests {
    private static let origin = RulingFixture.origin
    private typealias Fixture = RulingFixture

    @Test("block what they match, whatever the method, and nothing else")
    func block() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(#"[{"match": {"path": "/ads/**"}, "strategy": "block"}]"#, in: directory)
            fixture.publish("x", "x")
            #expect(try await fixture.get("ads/1.js").status == 403)
            #expect(try await fixture.get("ads/1.js", method: .post).status == 403)
            #expect(try await fixture.get("x").text == "x")
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("block by the response's media type, only while the link is metered", arguments: [true, false])
    func metered(_ isMetered: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let rules = #"[{"match": {"mediaType": "image/*"}, "strategy": "block", "onlyIfMetered": true}]"#
            let fixture = try Fixture(rules, in: directory, isMetered: isMetered)
            fixture.publish("a", "png", [.contentType: "image/png", .cacheControl: "no-store"])
            fixture.publish("b", "text", [.contentType: "text/plain", .cacheControl: "max-age=60"])
            for _ in 1...2 {
                #expect(try await fixture.get("a").status == (isMetered ? 403 : 200))
                #expect(try await fixture.get("b").text == "text")
            }
        }
    }

    @Test(
        "let what is stored respond on a metered link in place of a refusal, also what is stale",
        arguments: [#""match": {"suffix": ".png"}"#, #""match": {"mediaType": "image/*"}"#]
    )
    func meteredStored(_ match: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(#"[{\#(match), "onlyIfMetered": true, "strategy": "block"}]"#, in: directory)
            let fields: HTTPFields = [.contentType: "image/png", .cacheControl: "max-age=60"]
            fixture.publish("a.png", "old", fields)
            #expect(try await fixture.get("a.png").text == "old")
            fixture.link.isMetered = true
            #expect(try await fixture.get("a.png").text == "old")
            fixture.clock.advance(by: .seconds(120))
            #expect(try await fixture.get("a.png").text == "old")
            #expect(try await fixture.get("a.png", method: .head).status == 200)
            #expect(fixture.network.requests.count == 1)
            #expect(try await fixture.get("a.png", method: .post).status == 403)
        }
    }

    @Test("cache-only sends what is stored, fresh or stale, asks no origin, and leaves what must be validated")
    func cacheOnly() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(#"[{"onlyIfMetered": true, "strategy": "cache-only"}]"#, in: directory)
            for path in ["a", "b"] { fixture.publish(path, "old") }
            fixture.publish("strict", "old", [.cacheControl: "max-age=60, must-revalidate"])
            for path in ["a", "strict"] { #expect(try await fixture.get(path).text == "old") }
            fixture.link.isMetered = true
            #expect(try await fixture.get("a").text == "old")
            #expect(try await fixture.get("b").status == 504)
            #expect(try await fixture.get("b", method: .post).status == 405)
            fixture.clock.advance(by: .seconds(120))
            #expect(try await fixture.get("a").text == "old")
            #expect(try await fixture.get("strict").status == 504)
            #expect(try await fixture.get("a", [.cacheControl: "only-if-cached"]).status == 504)
            #expect(fixture.network.requests.count == 2)
            fixture.link.isMetered = false
            fixture.publish("a", "new")
            #expect(try await fixture.get("a").text == "new")
        }
    }

    @Test("network-first asks the origin even for what is fresh, and falls back to it")
    func networkFirst() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(#"[{"match": {}, "strategy": "network-first"}]"#, in: directory)
            fixture.publish("x", "old")
            _ = try await fixture.get("x")
            fixture.publish("x", "new")
            #expect(try await fixture.get("x").text == "new")
            fixture.network.isDown = true
            #expect(try await fixture.get("x").text == "new")
        }
    }

    @Test("network-only stores nothing; bundle-only asks nobody")
    func only() async throws {
        try await withTemporaryDirectory { directory in
            let rules = """
                [{"match": {"path": "/live/**"}, "strategy": "network-only"},
                 {"match": {"path": "/never/**"}, "strategy": "bundle-only"}]
                """
            let fixture = try Fixture(rules, in: directory)
            fixture.publish("live/x", "1")
            fixture.publish("never/x", "1")
            #expect(try await fixture.get("live/x").text == "1")
            fixture.publish("live/x", "2")
            #expect(try await fixture.get("live/x").text == "2")
            let requestCount = fixture.network.requests.count
            #expect(try await fixture.get("live/x", [.cacheControl: "only-if-cached"]).status == 504)
            #expect(fixture.network.requests.count == requestCount)
            #expect(try await fixture.get("never/x").status == 404)
            fixture.network.isDown = true
            #expect(try await fixture.get("live/x").status == 504)
        }
    }

    @Test("stale-while-revalidate responds from what is stored, and renews it")
    func staleWhileRevalidate() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(#"[{"match": {}, "strategy": "stale-while-revalidate"}]"#, in: directory)
            fixture.publish("x", "old")
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(90))
            fixture.publish("x", "new")
            #expect(try await fixture.get("x").text == "old")
            try await eventually { try await fixture.get("x").text != "old" }
        }
    }

    @Test("that are never offline let nothing stored respond without a network")
    func neverOffline() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture(#"[{"match": {"path": "/pay"}, "offline": "never"}]"#, in: directory)
            fixture.publish("pay", "form")
            #expect(try await fixture.get("pay").text == "form")
            fixture.network.isDown = true
            #expect(try await fixture.get("pay").status == 504)
        }
    }

    @Test(
        "count for a stored part as for a whole response",
        arguments: [#"{"strategy": "network-first"}"#, #"{"offline": "never"}"#]
    )
    func parts(_ rule: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try Fixture("[\(rule)]", in: directory)
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentRange: "bytes 2-4/10"]
            fixture.network.response(Self.origin + "x") { request in
                let isConditional = request.headerFields[.ifNoneMatch] == "\"1\""
                return isConditional
                    ? OriginResponse(.notModified, fields, "") : OriginResponse(.partialContent, fields, "234")
            }
            #expect(try await fixture.get("x", [.range: "bytes=2-4"]).text == "234")
            // Another range than that of the fetch before, which may still be ending.
            #expect(try await fixture.get("x", [.range: "bytes=3-4"]).text == "34")
            #expect(fixture.network.requests.last?.headerFields[.ifNoneMatch] == "\"1\"")
            fixture.network.isDown = true
            let isAllowed = rule.contains("network-first")
            #expect(try await fixture.get("x", [.range: "bytes=3-4"]).status == (isAllowed ? 206 : 504))
        }
    }

    @Test("change fields of requests and responses, also of those that are stored")
    func fields() async throws {
        try await withTemporaryDirectory { directory in
            let rules = """
                [{"match": {}, "requestFields": {"set": {"X-App": "1"}, "remove": ["User-Agent"]},
                  "responseFields": {"add": {"X-Seen": "yes"}, "remove": ["X-Secret"]}}]
                """
            let fixture = try Fixture(rules, in: directory)
            fixture.publish("x", "x", [.cacheControl: "max-age=60", HTTPField.Name("X-Secret")!: "s"])
            for _ in 1...2 {
                let response = try await fixture.get("x", [.userAgent: "a"])
                #expect(response[HTTPField.Name("X-Seen")!] == "yes")
                #expect(response[HTTPField.Name("X-Secret")!] == nil)
            }
            let request = try #require(fixture.network.requests.first)
            #expect(fixture.network.requests.count == 1)
            #expect(request.headerFields[HTTPField.Name("X-App")!] == "1")
            #expect(request.headerFields[.userAgent] == nil)
        }
    }

    @Test("redirect, rewrite and connect elsewhere")
    func elsewhere() async throws {
        try await withTemporaryDirectory { directory in
            let rules = """
                [{"match": {"path": "/old"}, "redirect": {"status": 308, "to": "/new"}},
                 {"match": {"path": "/v1/**"}, "rewrite": {"from": "/v1/**", "to": "/v2/**"}},
                 {"match": {"path": "/cdn"}, "connectTo": "cdn.example:8443"}]
                """
            let fixture = try Fixture(rules, in: directory)
            let redirect = try await fixture.get("old")
            #expect(redirect.status == 308)
            #expect(redirect[.location] == "new")
            fixture.publish("v2/x", "two")
            #expect(try await fixture.get("v1/x").text == "two")
            fixture.network.response(calling: Self.origin + "cdn") { call in
                #expect(call.connectTo == ConnectTarget(host: "cdn.example", port: 8443))
                #expect(call.request.authority == "m.example.com")
                return OriginResponse(.ok, [:], "cdn")
            }
            #expect(try await fixture.get("cdn").text == "cdn")
        }
    }

    @Test("mock a response, only during development", arguments: [true, false])
    func mock(_ isDevelopment: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let rules = #"[{"match": {"path": "/api"}, "mock": {"file": "mock.json", "status": 201}}]"#
            let fixture = try Fixture(rules, in: directory, isDevelopment: isDevelopment)
            let response = try await fixture.get("api", method: .post)
            #expect(response.status == (isDevelopment ? 201 : 504))
            if isDevelopment { #expect(response.text == "{}") }
        }
    }
}
