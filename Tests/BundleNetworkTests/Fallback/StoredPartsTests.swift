import BundleServing
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Stored parts of a response")
struct StoredPartsTests {
    private static let bytes = Array("0123456789".utf8)

    /// Serves ten bytes in parts, with validators.
    private func publish(_ fixture: FallbackFixture, tag: String? = "\"1\"", _ change: String = "") {
        fixture.network.response(FallbackFixture.origin + "x") { request in
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            fields[.eTag] = tag
            guard let value = request.headerFields[.range], let range = ByteRangeSet(value)?.ranges.first,
                let part = range.resolved(in: 10)
            else { return OriginResponse(.ok, fields, [Self.bytes]) }
            fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/10" + change
            return OriginResponse(.partialContent, fields, [Array(Self.bytes[part])])
        }
    }

    private func get(_ range: String, _ fixture: FallbackFixture) async throws -> Received {
        let response = try await fixture.get("x", [.range: range])
        // What is stored behind the response is stored.
        try await eventually { fixture.responder.fallback.coordinator.sharedFetches.isEmpty }
        await fixture.responder.fallback.cache.flush()
        return response
    }

    @Test("serve ranges that they cover, however these are written")
    func covered() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            #expect(try await get("bytes=4-", fixture).text == "456789")
            for (range, text) in [("bytes=6-8", "678"), ("bytes=-1", "9"), ("bytes=4-", "456789"), ("bytes=9-99", "9")]
            {
                let response = try await get(range, fixture)
                #expect(response.status == 206)
                #expect(response.text == text)
                #expect(response[.contentRange]?.hasSuffix("/10") == true)
                #expect(response.cacheStatus?.contains("hit") == true)
            }
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("are joined, and become the whole")
    func joined() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            _ = try await get("bytes=6-", fixture)
            _ = try await get("bytes=0-2", fixture)
            #expect(try await get("bytes=1-7", fixture).text == "1234567")
            #expect(fixture.network.requests.count == 3)
            let whole = try await fixture.get("x", offline: true)
            #expect(whole.status == 200)
            #expect(whole.text == "0123456789")
            #expect(whole[.contentLength] == "10")
            #expect(whole[.contentRange] == nil)
            #expect(try await fixture.get("x", [.ifNoneMatch: "\"1\""], offline: true).status == 304)
            #expect(try await fixture.get("x", [.range: "bytes=2-6"], offline: true).text == "23456")
        }
    }

    @Test("aren't used for what they lack")
    func missing() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            _ = try await get("bytes=4-", fixture)
            #expect(try await fixture.get("x", [.range: "bytes=3-5"], offline: true).status == 504)
            #expect(try await fixture.get("x", offline: true).status == 504)
            #expect(try await fixture.get("x").text == "0123456789")
        }
    }

    @Test("aren't stored when they contradict themselves", arguments: ["1", "x", ", bytes 0-1/2"])
    func refused(_ change: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, change)
            #expect(try await get("bytes=4-", fixture).text == "456789")
            // “10” and “101” are both lengths; the one that was sent counts, but then the part isn't the end.
            let isPossible = change == "1"
            let stored = try await fixture.get("x", [.range: "bytes=5-6"], offline: true)
            #expect(stored.status == (isPossible ? 206 : 504))
        }
    }

    @Test("without a strong validator serve what they cover, and are joined with nothing", arguments: [nil, "W/\"1\""])
    func alone(_ tag: String?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, tag: tag)
            _ = try await get("bytes=4-", fixture)
            #expect(try await fixture.get("x", [.range: "bytes=5-6"], offline: true).text == "56")
            _ = try await get("bytes=0-3", fixture)
            #expect(try await fixture.get("x", [.range: "bytes=1-2"], offline: true).text == "12")
            #expect(try await fixture.get("x", [.range: "bytes=5-6"], offline: true).status == 504)
            #expect(try await get("bytes=2-6", fixture).text == "23456")
            #expect(fixture.network.requests.map { $0.headerFields[.ifRange] } == [nil, nil, nil])
        }
    }

    @Test("of another content are replaced")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            _ = try await get("bytes=4-", fixture)
            publish(fixture, tag: "\"2\"")
            _ = try await get("bytes=0-1", fixture)
            #expect(try await fixture.get("x", [.range: "bytes=4-5"], offline: true).status == 504)
            #expect(try await fixture.get("x", [.range: "bytes=0-1"], offline: true).text == "01")
        }
    }
}
