import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("What an origin may send through a bundle")
struct IsolationTests {
    @Test(
        "fields that affect more than the bundle are dropped, also from the cache",
        arguments: ["Alt-Svc", "NEL", "Report-To", "Strict-Transport-Security", "Expect-CT"],
        ["max-age=60", "no-store"]
    )
    func originWide(_ name: String, _ caching: String) async throws {
        try await withFixture { fixture in
            let name = try #require(HTTPField.Name(name))
            fixture.response("x.js", [.cacheControl: caching, name: "x", .contentSecurityPolicy: "default-src 'self'"])
            for _ in 0..<2 {
                let response = try await fixture.ask("/x.js", at: "shop.localhost")
                #expect(response.text == "x.js")
                #expect(response[name] == nil)
                #expect(response[.contentSecurityPolicy] == "default-src 'self'")
            }
            #expect(fixture.network.requests.count == (caching == "no-store" ? 2 : 1))
        }
    }

    @Test(
        "fields that concern a host pass where the bundle has it for itself, also from the cache",
        arguments: [
            "Service-Worker-Allowed", "Clear-Site-Data", "Set-Cookie2", "Set-Login", "Public-Key-Pins",
            "Public-Key-Pins-Report-Only",
        ],
        [
            ("/x.js", "shop.localhost", true), ("/shop/x.js", "localhost", false), ("/shop/x.js", nil, false),
            ("/shop/x.js", "m.example.com", false),
        ] as [(String, String?, Bool)]
    )
    func hostWide(_ name: String, _ place: (path: String, host: String?, passes: Bool)) async throws {
        try await withFixture { fixture in
            let name = try #require(HTTPField.Name(name))
            fixture.response("x.js", [.cacheControl: "max-age=60", name: "x"])
            for _ in 0..<2 {
                #expect(try await fixture.ask(place.path, at: place.host)[name] == (place.passes ? "x" : nil))
            }
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("a response that was cached before has none of them either")
    func cachedBefore() async throws {
        try await withFixture { fixture in
            fixture.response(
                "x.js",
                [.cacheControl: "public, max-age=60", .strictTransportSecurity: "max-age=1", .setCookie: "a=b"]
            )
            _ = try await fixture.ask("/x.js", at: "shop.localhost")
            // The stored response is what the origin sent.
            let stored = try #require(try fixture.store.cachedResponses().first)
            #expect(String(decoding: stored.metadata, as: UTF8.self).contains("Strict-Transport-Security"))
            let hit = try await fixture.ask("/x.js", at: "shop.localhost")
            #expect(hit.layer == .cache)
            #expect(hit[.strictTransportSecurity] == nil)
            #expect(hit[.setCookie] == "a=b; Path=/")
        }
    }

    @Test(
        "cookies are limited to the bundle's own paths, and dropped where other bundles have pages",
        arguments: [
            ("/api/x", "shop.localhost", "a=b; HttpOnly; Path=/"),
            ("/shop/api/x", "m.example.com", "a=b; HttpOnly; Path=/shop/"),
            ("/shop/api/x", "localhost", nil), ("/shop/api/x", nil, nil),
        ] as [(String, String?, String?)]
    )
    func cookies(_ path: String, _ host: String?, _ expected: String?) async throws {
        try await withFixture { fixture in
            fixture.response(
                "api/x",
                [.cacheControl: "no-store", .setCookie: "a=b; Domain=localhost; HttpOnly; Path=/"]
            )
            let response = try await fixture.ask(path, at: host, [.cookie: "offline-bundles.shop=1.0.0; c=d"])
            #expect(response[.setCookie] == expected)
            // The client's cookies don't reach the origin there either.
            #expect(fixture.network.requests.map { $0.headerFields[.cookie] } == [expected == nil ? nil : "c=d"])
        }
    }

    @Test("each of several cookies is confined separately")
    func severalCookies() async throws {
        try await withFixture { fixture in
            var fields: HTTPFields = [.cacheControl: "no-store"]
            for value in ["a=1; Path=/shop/cart", "b=2; Path=/elsewhere", "offline-bundles.docs=1", "c=3; Path=/"] {
                fields.append(HTTPField(name: .setCookie, value: value))
            }
            fixture.response("api/x", fields)
            let response = try await fixture.ask("/api/x", at: "shop.localhost")
            #expect(response.head.headerFields[values: .setCookie] == ["a=1; Path=/cart", "c=3; Path=/"])
        }
    }

    private func withFixture(_ body: (FallbackFixture) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in try await body(FallbackFixture(in: directory)) }
    }
}

extension FallbackFixture {
    /// Serves its own name at a path under the origin.
    fileprivate func response(_ path: String, _ fields: HTTPFields) {
        network.response(Self.origin + path, .ok, fields, path)
    }

    /// Requests a path at a host.
    fileprivate func ask(_ path: String, at host: String?, _ fields: HTTPFields = [:]) async throws -> Received {
        let request = HTTPRequest(method: .get, scheme: nil, authority: host, path: path, headerFields: fields)
        return try await Received(responder.respond(to: request))
    }
}
