import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Falling back when the network is unavailable or sends errors")
struct OriginOutageTests {
    @Test("without the network a fresh response is served, and a stale one unless the origin forbids it")
    func disconnected() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let table = [
                ("a", "max-age=60", 200), ("b", "max-age=60, must-revalidate", 504), ("c", "no-cache", 504),
                ("d", "max-age=60, s-maxage=60", 504), ("e", "public", 200),
            ]
            for (path, cacheControl, _) in table {
                fixture.publish(path, path, [.cacheControl: cacheControl])
                _ = try await fixture.get(path)
            }
            fixture.network.isDown = true
            #expect(try await fixture.get("b").text == "b")
            fixture.clock.advance(by: .seconds(100))
            for (path, cacheControl, status) in table {
                for isOffline in [false, true] {
                    let response = try await fixture.get(path, offline: isOffline)
                    #expect(response.status == status, "\(cacheControl)")
                    if status == 200 {
                        #expect(response.text == path)
                        #expect(response.cacheStatus?.hasSuffix(#"detail="stale""#) == true)
                    }
                }
            }
            #expect(try await fixture.get("a").cacheStatus == #"offline-bundles; fwd=stale; ttl=-40; detail="stale""#)
            let offline = try await fixture.get("a", offline: true)
            #expect(offline.cacheStatus == #"offline-bundles; hit; ttl=-40; detail="stale""#)
        }
    }

    @Test(
        "a response that doesn't fit the request is rejected",
        arguments: [0, 100, 101, 103, 205, 206, 304, 407, 600, 999]
    )
    func noResponse(_ status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x", status: .init(code: status))
            for fields: HTTPFields in [[:], [.range: "bytes=0-0", .ifNoneMatch: "\"x\""]] {
                let response = try await fixture.get("x", fields)
                #expect(response.status == 504)
                #expect(response.text.contains("status \(status)"))
            }
            #expect(try fixture.cachedURLs == [])
        }
    }

    @Test("a stale copy replaces an invalid response", arguments: [205, 600])
    func noResponseToValidation(_ status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "good")
            _ = try await fixture.get("x")
            fixture.publish("x", "bad", status: .init(code: status))
            fixture.clock.advance(by: .seconds(100))
            let response = try await fixture.get("x")
            #expect(response.status == 200)
            #expect(response.text == "good")
        }
    }

    @Test("a 205 without content passes through, however its end is signalled")
    func reset() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "", [:], status: .resetContent)
            let response = try await fixture.get("x")
            #expect(response.status == 205)
            #expect(response.bytes.isEmpty)
        }
    }

    @Test("the origin's own errors pass through", arguments: [403, 404, 500, 503])
    func originErrors(code: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "sorry", [:], status: HTTPResponse.Status(code: code))
            let response = try await fixture.get("x", [.accept: "text/html"])
            #expect(response.status == code)
            #expect(response.text == "sorry")
            #expect(response.cacheStatus?.contains("fwd=uri-miss; fwd-status=\(code)") == true)
        }
    }

    @Test(
        "a stale response replaces an error of the origin within stale-if-error, even one that could be stored",
        arguments: ["no-store", "max-age=60"]
    )
    func staleIfError(cacheControl: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "good", [.cacheControl: "max-age=60, stale-if-error=600"])
            _ = try await fixture.get("x")
            fixture.publish("x", "bad", [.cacheControl: cacheControl], status: .serviceUnavailable)
            fixture.clock.advance(by: .seconds(100))
            #expect(try await fixture.get("x").text == "good")
            fixture.clock.advance(by: .seconds(600))
            let late = try await fixture.get("x")
            #expect(late.status == 503)
            #expect(late.text == "bad")
            fixture.network.isDown = true
            #expect(try await fixture.get("x").text == "good")
        }
    }

    @Test("a stale error doesn't hide from a navigation that there is no network", arguments: [false, true])
    func staleError(isOffline: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "no such page", status: .notFound)
            #expect(try await fixture.get("x").text == "no such page")
            fixture.network.isDown = true
            // While it is fresh, it is the origin's response.
            #expect(try await fixture.get("x", [.accept: "text/html"], offline: isOffline).status == 404)
            fixture.clock.advance(by: .seconds(61))
            let page = try await fixture.get("x", [.accept: "text/html"], offline: isOffline)
            #expect(page.status == 504)
            #expect(page.text == "you are offline")
            #expect(try await fixture.get("x", [.accept: "*/*"], offline: isOffline).status == 404)
        }
    }

    @Test("an error that could never be served isn't stored")
    func uselessError() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "sorry", [:], status: .notFound)
            #expect(try await fixture.get("x").text == "sorry")
            #expect(try fixture.cachedURLs.isEmpty)
        }
    }

    @Test("the explanation is correct")
    func explanations() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "x", [.cacheControl: "max-age=60, must-revalidate"])
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(61))
            fixture.network.isDown = true
            let (url, stale) = (
                FallbackFixture.origin, "isn't bundled, what is cached can't be used without asking its origin"
            )
            #expect(
                try await fixture.get("y", offline: true).text
                    == "\(url)y is neither bundled nor cached, and the network is switched off.\n"
            )
            #expect(
                try await fixture.get("x", offline: true).text == "\(url)x \(stale), and the network is switched off.\n"
            )
            #expect(
                try await fixture.get("x").text
                    == "\(url)x \(stale), and the network didn't respond: no server responds at \(url)x\n"
            )
            #expect(
                try await fixture.get("y", [.cacheControl: "only-if-cached"]).text
                    == "\(url)y isn't bundled, and nothing is cached that satisfies the request, "
                    + "which allows only stored responses.\n"
            )
        }
    }

    @Test("stale-while-revalidate serves at once and revalidates afterwards")
    func staleWhileRevalidate() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "old", [.cacheControl: "max-age=60, stale-while-revalidate=60"])
            _ = try await fixture.get("x")
            fixture.clock.advance(by: .seconds(90))
            let latch = Latch()
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                try await latch.wait()
                return OriginResponse(.ok, [.cacheControl: "max-age=60"], "new")
            }
            #expect(try await fixture.get("x").text == "old")
            try await latch.waitForArrivals()
            async let forced = fixture.get("x", [.cacheControl: "no-cache"])
            latch.open()
            #expect(try await forced.text == "new")
        }
    }
}
