import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Completing what is stored of a response")
struct CompletionTests {
    private static let bytes = Array("0123456789".utf8)

    private func publish(_ fixture: FallbackFixture, _ fields: HTTPFields, _ bytes: [UInt8] = Self.bytes) {
        let validators: HTTPFields = [.cacheControl: "max-age=60"]
        fixture.network.response(FallbackFixture.origin + "x") { request in
            var fields = validators + fields
            let condition = request.headerFields[.ifRange]
            guard condition == nil || condition == fields[.eTag] ?? fields[.lastModified],
                let value = request.headerFields[.range], let range = ByteRangeSet(value)?.ranges.first,
                let part = range.resolved(in: bytes.count)
            else { return OriginResponse(.ok, fields + [.contentLength: "\(bytes.count)"], [bytes]) }
            fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
            return OriginResponse(.partialContent, fields, [Array(bytes[part])])
        }
    }

    private func get(_ fixture: FallbackFixture, _ fields: HTTPFields = [:]) async throws -> Received {
        let response = try await fixture.get("x", fields)
        try await eventually { fixture.responder.fallback.coordinator.sharedFetches.isEmpty }
        await fixture.responder.fallback.cache.flush()
        return response
    }

    /// Stores parts, and returns what the origin is asked for then.
    private func store(_ ranges: [String], _ fixture: FallbackFixture) async throws -> () -> [[String?]] {
        for range in ranges { _ = try await get(fixture, [.range: range]) }
        let count = fixture.network.requests.count
        return {
            fixture.network.requests[count...].map { [$0.headerFields[.range], $0.headerFields[.ifRange]] }
        }
    }

    private static let tag: HTTPFields = [.eTag: "\"1\""]

    @Test(
        "only what is missing is fetched for the whole, from the first gap to the last, and the whole is stored",
        arguments: [
            (["bytes=4-"], "bytes=0-3"), (["bytes=0-3"], "bytes=4-9"), (["bytes=2-4"], "bytes=0-9"),
            (["bytes=0-1", "bytes=5-6"], "bytes=2-9"), (["bytes=0-1", "bytes=5-6", "bytes=8-"], "bytes=2-7"),
            (["bytes=0-4", "bytes=6-"], "bytes=5-5"),
        ]
    )
    func whole(stored: [String], missing: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            let asked = try await store(stored, fixture)
            let response = try await get(fixture)
            #expect(response.status == 200 && response.text == "0123456789")
            #expect(response[.contentLength] == "10" && response[.contentRange] == nil)
            // Everything is fetched again where no byte at an end is stored: the condition would be of no use.
            #expect(asked() == [missing == "bytes=0-9" ? [nil, nil] : [missing, "\"1\""]])
            if missing != "bytes=0-9" { #expect(response.cacheStatus?.contains("fwd=partial") == true) }
            let later = try await fixture.get("x", offline: true)
            #expect(later.status == 200 && later.text == "0123456789")
            #expect(try fixture.store.cachedResponses().map(\.byteCount) == [10])
            #expect(try fixture.store.verify().isEmpty)
        }
    }

    @Test(
        "only what is missing is fetched for a range",
        arguments: [
            ("bytes=2-7", "bytes=4-7", "234567"), ("bytes=0-3", "bytes=0-1", "0123"),
            ("bytes=-7", "bytes=4-9", "3456789"),
            ("bytes=1-5", "bytes=1-5", "12345"), ("bytes=-9", "bytes=-9", "123456789"),
            ("bytes=5-6", "bytes=5-6", "56"),
        ]
    )
    func range(requested: String, missing: String, text: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            let asked = try await store(["bytes=2-3"], fixture)
            let response = try await get(fixture, [.range: requested])
            #expect(response.status == 206)
            #expect(response.text == text)
            #expect(asked() == [[missing, missing == requested ? nil : "\"1\""]])
            let later = try await fixture.get("x", [.range: requested], offline: true)
            #expect(later.status == 206 && later.bytes == response.bytes)
            #expect(later[.contentRange] == response[.contentRange])
        }
    }

    @Test("a date is a validator where it is a strong one", arguments: [(-1, true), (0, false)])
    func lastModified(offset: Int, isStrong: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let date = try #require(HTTPDate(fixture.clock.read())).fieldValue
            let modified = try #require(HTTPDate(fixture.clock.read().addingTimeInterval(Double(offset)))).fieldValue
            publish(fixture, [.date: date, .lastModified: modified])
            let asked = try await store(["bytes=0-3"], fixture)
            #expect(try await get(fixture).text == "0123456789")
            #expect(asked() == [isStrong ? ["bytes=4-9", modified] : [nil, nil]])
        }
    }

    @Test("other content of the origin is fetched and stored as a whole, and nothing is mixed")
    func changed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            let asked = try await store(["bytes=0-3"], fixture)
            publish(fixture, [.eTag: "\"2\""], Array("abcdefghij".utf8))
            let response = try await get(fixture)
            #expect(response.status == 200 && response.text == "abcdefghij" && response[.eTag] == "\"2\"")
            #expect(asked() == [["bytes=4-9", "\"1\""]])
            #expect(try await fixture.get("x", [.range: "bytes=0-3"], offline: true).text == "abcd")
        }
    }

    @Test(
        "a part of other content, or another part, isn't joined: the origin is asked again",
        arguments: [
            ("\"2\"", "bytes 4-9/10", 206), (nil, "bytes 4-9/10", 206), ("W/\"1\"", "bytes 4-9/10", 206),
            ("\"1\"", "bytes 4-8/10", 206), ("\"1\"", "bytes 3-9/10", 206), ("\"1\"", "bytes 4-9/11", 206),
            ("\"1\"", nil, 206), ("\"1\"", "bytes 4-9/10, bytes 0-1/2", 206), ("\"1\"", "bytes */4", 416),
        ] as [(String?, String?, Int)]
    )
    func mismatch(tag: String?, contentRange: String?, status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            let asked = try await store(["bytes=0-3"], fixture)
            fixture.network.response(FallbackFixture.origin + "x") { request in
                guard request.headerFields.contains(.range) else {
                    return OriginResponse(.ok, [.cacheControl: "max-age=60", .eTag: "\"2\""], "abcdefghij")
                }
                var fields: HTTPFields = [.cacheControl: "max-age=60"]
                fields[.eTag] = tag
                fields[.contentRange] = contentRange
                return OriginResponse(HTTPResponse.Status(code: status), fields, "efghij")
            }
            let response = try await get(fixture)
            #expect(response.status == 200 && response.text == "abcdefghij")
            #expect(asked() == [["bytes=4-9", "\"1\""], [nil, nil]])
            #expect(try await fixture.get("x", offline: true).text == "abcdefghij")
        }
    }

    @Test("a part with fewer or more bytes than it says breaks the response off, and isn't stored", arguments: [5, 7])
    func length(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            _ = try await store(["bytes=0-3"], fixture)
            let fields = Self.tag + [.cacheControl: "max-age=60", .contentRange: "bytes 4-9/10"]
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                OriginResponse(.partialContent, fields, [Array("456789abc".utf8.prefix(count))])
            }
            #expect(try await fixture.get("x").status == 504)
            #expect(try await fixture.get("x", offline: true).status == 504)
            #expect(try await fixture.get("x", [.range: "bytes=1-2"], offline: true).text == "12")
            #expect(try fixture.store.verify().isEmpty)
        }
    }

    @Test("an error of the origin is passed on, and the parts stay")
    func outage() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            _ = try await store(["bytes=0-3"], fixture)
            fixture.publish("x", "broken", [:], status: .serviceUnavailable)
            #expect(try await fixture.get("x").status == 503)
            fixture.network.isDown = true
            #expect(try await fixture.get("x").status == 504)
            #expect(try await fixture.get("x", [.range: "bytes=0-3"], offline: true).text == "0123")
        }
    }

    @Test(
        "If-Range holds for stored parts as for a whole response",
        arguments: [("\"1\"", 206, "12"), ("\"2\"", 200, "0123456789"), ("W/\"1\"", 200, "0123456789")]
    )
    func ifRange(condition: String, status: Int, text: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            let asked = try await store(["bytes=0-3"], fixture)
            let response = try await get(fixture, [.range: "bytes=1-2", .ifRange: condition])
            #expect(response.status == status && response.text == text)
            #expect(asked() == (status == 206 ? [] : [["bytes=1-2", condition]]))
        }
    }

    @Test("conditions are decided by the head of stored parts, and so is HEAD")
    func conditions() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            let asked = try await store(["bytes=0-3"], fixture)
            #expect(try await get(fixture, [.ifNoneMatch: "\"1\""]).status == 304)
            #expect(try await get(fixture, [.ifMatch: "\"2\""]).status == 412)
            let unsatisfiable = try await get(fixture, [.range: "bytes=10-"])
            #expect(unsatisfiable.status == 416 && unsatisfiable[.contentRange] == "bytes */10")
            let head = try await fixture.get("x", method: .head)
            #expect(head.status == 200 && head[.contentLength] == "10" && head.bytes.isEmpty)
            #expect(asked().isEmpty)
        }
    }

    @Test("stale parts are validated by the part that completes them, and made as fresh")
    func stale() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            let asked = try await store(["bytes=0-3"], fixture)
            fixture.clock.advance(by: .seconds(90))
            #expect(try await get(fixture).text == "0123456789")
            #expect(asked() == [["bytes=4-9", "\"1\""]])
            #expect(try await get(fixture).cacheStatus?.contains("hit; ttl=60") == true)
        }
    }

    @Test(
        "many clients share one request for what is missing, of the whole and of a range",
        arguments: [nil, "bytes=2-7"]
    )
    func concurrent(range: String?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.tag)
            _ = try await store(["bytes=0-3"], fixture)
            let latch = Latch()
            let fields = Self.tag + [.cacheControl: "max-age=60"]
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                try await latch.wait()
                let part = range == nil ? 4..<10 : 4..<8
                let contentRange = "bytes \(part.lowerBound)-\(part.upperBound - 1)/10"
                return OriginResponse(
                    .partialContent,
                    fields + [.contentRange: contentRange],
                    [Array(Self.bytes[part])]
                )
            }
            let clients = (0..<20).map { _ in
                Task { try await fixture.get("x", range.map { [.range: $0] } ?? [:]) }
            }
            try await eventually { fixture.responder.fallback.coordinator.sharedFetches.waiterCount >= 20 }
            latch.open()
            for client in clients {
                let response = try await client.value
                #expect(response.text == (range == nil ? "0123456789" : "234567"))
            }
            #expect(fixture.network.requests.count == 2)
        }
    }
}

/// The fields of both.
private func + (one: HTTPFields, other: HTTPFields) -> HTTPFields {
    HTTPFields(Array(one) + Array(other))
}
