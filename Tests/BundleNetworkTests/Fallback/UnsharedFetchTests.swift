import BundleServing
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Responses that are of use to one request only")
struct UnsharedFetchTests {
    private static let url = FallbackFixture.origin + "x"

    /// A fixture that has found that the responses for a URL aren't stored.
    private func fixture(in directory: TemporaryDirectory) async throws -> FallbackFixture {
        let fixture = try FallbackFixture(in: directory)
        fixture.publish("x", "first", [.cacheControl: "no-store"])
        #expect(try await fixture.get("x").text == "first")
        return fixture
    }

    @Test("are fetched side by side, without a fetch that others could wait for")
    func sideBySide() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try await fixture(in: directory)
            let latch = Latch()
            fixture.network.response(Self.url) { _ in
                try await latch.wait()
                return OriginResponse(.ok, [.cacheControl: "no-store"], "later")
            }
            async let one = fixture.get("x")
            async let other = fixture.get("x")
            try await latch.waitForArrivals(2)
            #expect(fixture.responder.fallback.coordinator.sharedFetches.waiterCount == 0)
            latch.open()
            #expect(try await [one.text, other.text] == ["later", "later"])
            #expect(try await one.cacheStatus == #"offline-bundles; fwd=uri-miss; fwd-status=200; detail="network""#)
            #expect(fixture.network.requests.count == 3)
        }
    }

    @Test("are stored once they may be, and shared again")
    func becomesStorable() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try await fixture(in: directory)
            let key = "shop@1.0.0 \(Self.url)"
            #expect(fixture.responder.fallback.coordinator.sharedFetches.isUnshared(key))
            fixture.publish("x", "second")
            let stored = try await fixture.get("x")
            #expect(stored.text == "second")
            #expect(stored.cacheStatus?.contains("stored") == true)
            #expect(try await fixture.get("x").cacheStatus == #"offline-bundles; hit; ttl=60; detail="cache""#)
            #expect(fixture.network.requests.count == 2)
            #expect(!fixture.responder.fallback.coordinator.sharedFetches.isUnshared(key))
        }
    }

    @Test("are parts too, of which none is stored")
    func part() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try await fixture(in: directory)
            let range: HTTPFields = [.range: "bytes=1-2"]
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""1""#, .contentRange: "bytes 1-2/6"]
            for cacheControl in ["no-store", "max-age=60"] {
                var fields = fields
                fields[.cacheControl] = cacheControl
                fixture.publish("x", "ec", fields, status: .partialContent)
                let part = try await fixture.get("x", range)
                #expect(part.status == 206 && part.text == "ec" && part[.contentRange] == "bytes 1-2/6")
                #expect(fixture.network.requests.last?.headerFields[.range] == "bytes=1-2")
            }
            #expect(try fixture.cachedURLs.isEmpty)
        }
    }

    @Test("aren't accepted when they can't be the response to what was asked", arguments: [206, 304, 407, 600])
    func unrequested(status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try await fixture(in: directory)
            fixture.publish("x", "", [.cacheControl: "no-store"], status: HTTPResponse.Status(code: status))
            #expect(try await fixture.get("x").status == 504)
        }
    }

    @Test("are missing when the network is, without a trace in the next request")
    func failure() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try await fixture(in: directory)
            fixture.network.response(Self.url) { _ in throw OriginResponse.connectionLost }
            #expect(try await fixture.get("x").status == 504)
            fixture.publish("x", "again", [.cacheControl: "no-store"])
            #expect(try await fixture.get("x").text == "again")
        }
    }

    @Test(
        "state their length when they have arrived whole",
        arguments: [HTTPResponse.Status.ok, .notFound, .noContent]
    )
    func length(status: HTTPResponse.Status) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let text = status == .noContent ? "" : "text"
            fixture.network.response(Self.url) { _ in
                let head = HTTPResponse(status: status, headerFields: [.cacheControl: "no-store"])
                return OriginResponse(head: head, body: BodyStream(Array(text.utf8)))
            }
            let response = try await fixture.get("x")
            #expect(response.status == status.code && response.text == text)
            #expect(response[.contentLength] == (status == .noContent ? nil : "4"))
        }
    }
}
