import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Falling back to the network and the cache")
struct OriginFallbackTests {
    @Test("a stale response is validated, and a 304 makes it fresh again")
    func revalidation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x", [.cacheControl: "max-age=60", .eTag: #""1""#])
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(61))
            fixture.publish("x", "", [.cacheControl: "max-age=30", .eTag: #""1""#], status: .notModified)
            let response = try await fixture.get("x")
            #expect(response.status == 200)
            #expect(response.text == "x")
            #expect(response.cacheStatus == #"offline-bundles; fwd=stale; fwd-status=304; detail="network""#)
            #expect(fixture.network.requests.last?.headerFields[.ifNoneMatch] == #""1""#)
            fixture.clock.advance(by: .seconds(10))
            #expect(try await fixture.get("x").cacheStatus == #"offline-bundles; hit; ttl=20; detail="cache""#)
            #expect(try fixture.cachedURLs.count == 1)
        }
    }

    @Test(
        "RFC 9111 §5.2.2.4: fields that no-cache lists are passed on to the client that caused the fetch, and not stored",
        arguments: [HTTPFields(), [.range: "bytes=0-"]]
    )
    func fieldsPassedOnOnly(fields: HTTPFields) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let caching = #"max-age=60, no-cache="Set-Cookie""#
            fixture.publish("x", "x", [.cacheControl: caching, .setCookie: "a=b; Path=/", .eTag: #""1""#])
            #expect(try await fixture.get("x", fields)[.setCookie] == "a=b; Path=/shop/")
            let hit = try await fixture.get("x", fields)
            #expect(hit.layer == .cache && hit[.setCookie] == nil)
            fixture.clock.advance(by: .seconds(61))
            let newer: HTTPFields = [.cacheControl: caching, .setCookie: "c=d; Path=/", .eTag: #""1""#]
            fixture.publish("x", "", newer, status: .notModified)
            #expect(try await fixture.get("x", fields)[.setCookie] == "c=d; Path=/shop/")
            #expect(try await fixture.get("x", fields)[.setCookie] == nil)
            let stored = try #require(try fixture.store.cachedResponses().first)
            #expect(!String(decoding: stored.metadata, as: UTF8.self).contains("Path="))
        }
    }

    @Test(
        "a path that an origin could interpret as having dot segments isn't requested",
        arguments: ["..;", ".;x", "%2e%2e%3b"]
    )
    func hiddenDotSegment(component: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let response = try await fixture.get("\(component)/secret")
            #expect(response.status == 400)
            #expect(response.text.contains("No origin is asked for this path"))
            #expect(response.cacheStatus == #"offline-bundles; detail="path""#)
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("an origin that may not be connected to gives a 504 that doesn't reveal its address")
    func denied() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let address = try #require(NetworkAddress("10.9.8.7"))
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                throw OriginDenial(.scope(address, .private)).error(at: "m.example.com:443")
            }
            let response = try await fixture.get("x")
            #expect(response.status == 504)
            #expect(response.cacheStatus == #"offline-bundles; fwd=uri-miss; detail="origin denied""#)
            #expect(response.text.contains("its origin may not be connected to"))
            for secret in ["10.9.8.7", "private", "m.example.com"] { #expect(!response.text.contains(secret)) }
        }
    }

    @Test("a response stored while the clock was ahead is validated once the clock is right")
    func clockAhead() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let right = fixture.clock.date
            fixture.clock.advance(by: .seconds(4 * 365 * 86_400))
            fixture.publish("x", "then", [.cacheControl: "max-age=86400, stale-while-revalidate=86400"])
            _ = try await fixture.get("x")
            #expect(try await fixture.get("x").cacheStatus?.contains("hit") == true)
            fixture.clock.date = right
            fixture.publish("x", "now")
            #expect(try await fixture.get("x").text == "now")
        }
    }

    @Test(
        "a stale response is fresh again after a HEAD that describes it, and gone after one that describes another",
        arguments: [("\"1\"", 200), ("\"2\"", 504)]
    )
    func headFreshening(_ tag: String, _ status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x", [.cacheControl: "max-age=60, must-revalidate", .eTag: "\"1\""])
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(61))
            fixture.publish("x", "", [.cacheControl: "max-age=60, must-revalidate", .eTag: tag])
            _ = try await fixture.get("x", method: .head)
            #expect(try await fixture.get("x", offline: true).status == status)
        }
    }

    @Test("a 200 replaces the stored response")
    func replacement() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "old")
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(61))
            fixture.publish("x", "new")
            let response = try await fixture.get("x")
            #expect(response.text == "new")
            #expect(response.cacheStatus == #"offline-bundles; fwd=stale; fwd-status=200; stored; detail="network""#)
            #expect(try await fixture.get("x", offline: true).text == "new")
            #expect(try fixture.cachedURLs == [FallbackFixture.origin + "x"])
        }
    }

    @Test("validation at a client's request is distinguished from staleness")
    func requestedValidation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x")
            _ = try await fixture.get("x")
            let response = try await fixture.get("x", [.cacheControl: "no-cache"])
            #expect(response.cacheStatus == #"offline-bundles; fwd=request; fwd-status=200; stored; detail="network""#)
            fixture.network.isDown = true
            #expect(try await fixture.get("x", [.cacheControl: "no-cache"]).text == "x")
        }
    }

    @Test("after a 304 about something else the content is fetched again")
    func foreignConfirmation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "old", [.cacheControl: "max-age=60", .eTag: #""1""#])
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(61))
            fixture.network.response(FallbackFixture.origin + "x") { request in
                request.headerFields[.ifNoneMatch] == nil
                    ? OriginResponse(.ok, [.cacheControl: "max-age=60", .eTag: #""2""#], "new")
                    : OriginResponse(.notModified, [.eTag: #""2""#])
            }
            #expect(try await fixture.get("x").text == "new")
            #expect(try await fixture.get("x", offline: true).text == "new")
        }
    }

    @Test("a 304 that forbids keeping what it confirms drops it, and the content passes through")
    func forbiddingConfirmation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x", [.cacheControl: "max-age=60", .eTag: #""1""#])
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(61))
            fixture.network.response(FallbackFixture.origin + "x") { request in
                OriginResponse(
                    request.headerFields[.ifNoneMatch] == nil ? .ok : .notModified,
                    [.cacheControl: "no-store"],
                    "x"
                )
            }
            #expect(try await fixture.get("x").text == "x")
            #expect(try fixture.cachedURLs.isEmpty)
            #expect(try directory.snapshot(of: "cache").files.isEmpty)
        }
    }

    @Test(
        "a response that may not be stored passes through and isn't stored",
        arguments: ["no-store", "private", "private, max-age=9"]
    )
    func uncacheable(cacheControl: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x", [.cacheControl: cacheControl])
            for _ in 1...2 {
                let response = try await fixture.get("x")
                #expect(response.text == "x")
                #expect(response.cacheStatus == #"offline-bundles; fwd=uri-miss; fwd-status=200; detail="network""#)
                #expect(response[.xContentTypeOptions] == "nosniff")
            }
            #expect(try fixture.cachedURLs.isEmpty)
            #expect(fixture.network.requests.count == 2)
            #expect(try await fixture.get("x", offline: true).status == 504)
        }
    }

    @Test("inside an app, private responses are stored")
    func privateCache() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, isShared: false)
            fixture.publish("x", "x", [.cacheControl: "private, max-age=9"])
            _ = try await fixture.get("x")
            #expect(try await fixture.get("x", offline: true).text == "x")
        }
    }

    @Test("each variant is stored and selected by the fields that Vary names")
    func variants() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.network.response(FallbackFixture.origin + "x") { request in
                OriginResponse(
                    .ok,
                    [.cacheControl: "max-age=60", .vary: "Accept-Language"],
                    request.headerFields[.acceptLanguage] ?? "none"
                )
            }
            let reasons = ["de": "uri-miss", "en": "vary-miss"]
            for language in ["de", "en"] {
                let status = try await fixture.get("x", [.acceptLanguage: language]).cacheStatus
                #expect(status?.contains("fwd=\(reasons[language] ?? ""); fwd-status=200; stored") == true)
            }
            for language in ["de", "en"] {
                #expect(try await fixture.get("x", [.acceptLanguage: language], offline: true).text == language)
            }
            #expect(try await fixture.get("x", [.acceptLanguage: "fr"], offline: true).status == 504)
            #expect(fixture.network.requests.count == 2)
        }
    }

    @Test("a response fetched under one version isn't used under the next")
    func otherVersion() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x")
            _ = try await fixture.get("x")
            try fixture.install("1.1.0")
            #expect(try fixture.cachedURLs.isEmpty)
            #expect(try await fixture.get("x", offline: true).status == 504)
        }
    }

    @Test("a fetch that began under one version isn't used for the next")
    func activationDuringFetch() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let latch = Latch()
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                try await latch.wait()
                return OriginResponse(.ok, [.cacheControl: "max-age=60"], "old")
            }
            async let before = fixture.get("x")
            try await latch.waitForArrivals()
            try fixture.install("1.1.0")
            fixture.publish("x", "new")
            #expect(try await fixture.get("x").text == "new")
            latch.open()
            #expect(try await before.text == "old")
            #expect(try await fixture.get("x", offline: true).text == "new")
        }
    }

    @Test("a copy whose body is damaged or gone counts as absent", arguments: [true, false])
    func damagedCopy(isGone: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let good = String(repeating: "good", count: 30_000)
            let before = try FallbackFixture(in: directory, maximumByteCount: 200_000)
            before.publish("x", good)
            _ = try await before.get("x")
            #expect(try before.cachedURLs.count == 1)
            let file = try #require(directory.snapshot(of: "cache").files.keys.first)
            try FileManager.default.removeItem(atPath: directory.path(of: "cache/\(file)"))
            if !isGone { try directory.write("go", to: "cache/\(file)") }
            // In another process nothing is in memory.
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 200_000)
            fixture.publish("x", good)
            #expect(try await fixture.get("x", offline: true).status == 504)
            #expect(try await fixture.get("x").text == good)
            #expect(try await fixture.get("x", offline: true).text == good)
        }
    }

    @Test("fields outside ASCII are stored as received")
    func oddFields() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let name = try #require(HTTPField.Name("X-Name"))
            let field = HTTPField(name: name, lenientValue: [0x63, 0xE9])
            fixture.publish("x", "x", HTTPFields([HTTPField(name: .cacheControl, value: "max-age=60"), field]))
            #expect(try await fixture.get("x").cacheStatus?.contains("stored") == true)
            let cached = try await fixture.get("x", offline: true)
            #expect(cached.head.headerFields[fields: name] == [field])
            #expect(fixture.network.requests.count == 1)
        }
    }
}
