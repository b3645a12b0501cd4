import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("The bodies of responses from the network")
struct BodyStreamTests {
    @Test("a body that breaks off isn't a response, and nothing of it is stored")
    func brokenBody() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "good")
            _ = try await fixture.get("x")
            for path in ["x", "y"] {
                fixture.network.response(FallbackFixture.origin + path) { _ in
                    OriginResponse(
                        .ok,
                        [.cacheControl: "max-age=60"],
                        [Array("ha".utf8)],
                        failure: OriginResponse.connectionLost
                    )
                }
            }
            #expect(try await fixture.get("y").status == 504)
            fixture.clock.advance(by: .seconds(61))
            #expect(try await fixture.get("x").text == "good")
            #expect(try fixture.cachedURLs == [FallbackFixture.origin + "x"])
            #expect(try directory.snapshot(of: "incoming").entries.isEmpty)
        }
    }

    @Test("a body over the maximum passes through whole, whether or not its length is known", arguments: [true, false])
    func largeBody(isLengthKnown: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 10)
            let chunks = [[UInt8]](repeating: [1, 2, 3, 4], count: 3)
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                var fields: HTTPFields = [.cacheControl: "max-age=60"]
                if isLengthKnown { fields[.contentLength] = "12" }
                return OriginResponse(.ok, fields, chunks)
            }
            #expect(try await fixture.get("x").bytes == Array(chunks.joined()))
            #expect(fixture.network.requests.count == 1)
            #expect(try fixture.cachedURLs.isEmpty)
            #expect(try directory.snapshot(of: "incoming").entries.isEmpty)
            fixture.publish("y", "0123456789")
            _ = try await fixture.get("y")
            #expect(try await fixture.get("y", offline: true).text == "0123456789")
        }
    }

    @Test("a store that can't be written doesn't keep the response from passing through")
    func fullStore() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 200_000)
            let long = String(repeating: "x", count: 100_000)
            fixture.publish("x", long)
            try FileManager.default.removeItem(atPath: directory.path(of: "incoming"))
            try directory.write("in the way", to: "incoming")
            for _ in 1...2 {
                let response = try await fixture.get("x")
                #expect(response.status == 200)
                #expect(response.text == long)
            }
            #expect(try fixture.cachedURLs.isEmpty)
        }
    }
}
