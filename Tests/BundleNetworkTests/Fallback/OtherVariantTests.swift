import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("A request that selects none of the stored variants")
struct OtherVariantTests {
    private static let long = String(repeating: "x", count: CachedBodyWriter.memoryByteCount + 1)

    /// Content that depends on half of the values of User-Agent.
    private func publish(_ fixture: FallbackFixture, cacheControl: String = "max-age=60", sendsTag: Bool = true) {
        fixture.network.response(FallbackFixture.origin + "x") { request in
            let agent = request.headerFields[.userAgent] ?? ""
            let kind = agent.prefix(1)
            let fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "User-Agent", .eTag: "\"\(kind)\""]
            guard let condition = request.headerFields[.ifNoneMatch], condition.contains("\"\(kind)\"") else {
                return OriginResponse(.ok, fields, agent == "long" ? Self.long : String(kind))
            }
            var changes: HTTPFields = [.cacheControl: cacheControl]
            if sendsTag { changes[.eTag] = fields[.eTag] }
            return OriginResponse(.notModified, changes)
        }
    }

    private func get(_ agent: String, _ fixture: FallbackFixture, offline: Bool = false) async throws -> Received {
        let response = try await fixture.get("x", [.userAgent: agent], offline: offline)
        await fixture.responder.fallback.cache.flush()
        // So that one is later than the other.
        fixture.clock.advance(by: .seconds(1))
        return response
    }

    private func conditions(_ fixture: FallbackFixture) -> [String?] {
        fixture.network.requests.map { $0.headerFields[.ifNoneMatch] }
    }

    @Test("is asked with the tags of all, and the confirmed one is its response, also later (RFC 9111 §4.3.1)")
    func confirmed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            for agent in ["a1", "b1"] { _ = try await get(agent, fixture) }
            let response = try await get("a2", fixture)
            #expect(response.status == 200 && response.text == "a" && response[.age] == "0")
            #expect(response.cacheStatus == #"offline-bundles; fwd=vary-miss; fwd-status=304; detail="network""#)
            // The latest first; the second request had the first one's tag.
            #expect(conditions(fixture) == [nil, "\"a\"", "\"b\", \"a\""])
            for agent in ["a1", "a2", "b1"] {
                #expect(try await get(agent, fixture, offline: true).text == String(agent.prefix(1)))
            }
            #expect(try fixture.store.cachedResponses().count == 3)
        }
    }

    @Test("finds variants that are on the disk only, long ones too")
    func stored() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let fixture = try FallbackFixture(in: directory, maximumByteCount: 1 << 20)
                publish(fixture)
                for agent in ["long", "b1"] { _ = try await get(agent, fixture) }
            }
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 1 << 20)
            publish(fixture)
            #expect(try await get("l2", fixture).text == Self.long)
            #expect(conditions(fixture) == ["\"b\", \"l\""])
            #expect(try await get("l2", fixture, offline: true).text == Self.long)
            #expect(try fixture.store.verify().isEmpty)
        }
    }

    @Test("gets the origin's response when a 304 doesn't tell which variant it confirms, or forbids keeping it")
    func untold() async throws {
        for (cacheControl, sendsTag) in [("max-age=60", false), ("no-store", true)] {
            try await withTemporaryDirectory { directory in
                let fixture = try FallbackFixture(in: directory)
                publish(fixture, cacheControl: cacheControl, sendsTag: sendsTag)
                for agent in ["a1", "b1"] { _ = try await get(agent, fixture) }
                #expect(try await get("b2", fixture).text == "b")
                #expect(conditions(fixture) == [nil, "\"a\"", "\"b\", \"a\"", nil])
            }
        }
    }
}
