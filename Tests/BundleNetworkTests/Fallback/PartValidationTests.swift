import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

/// RFC 9111 §4.3, RFC 9110 §13.2.2.
@Suite("Validating stored parts of a response")
struct PartValidationTests {
    private static let old = Array("0123456789".utf8)
    private static let new = Array("abcdefghij".utf8)
    private static let modified = "Mon, 01 Jan 2024 00:00:00 GMT"

    /// Serves ten bytes and parts of them, with validators that requests can be conditional on.
    private func publish(
        _ fixture: FallbackFixture,
        _ bytes: [UInt8] = Self.old,
        _ validators: HTTPFields = [.eTag: "\"1\""],
        cacheControl: String = "max-age=60",
        ignoresRange: Bool = false
    ) {
        fixture.network.response(FallbackFixture.origin + "x") { request in
            var fields = validators
            fields[.cacheControl] = cacheControl
            let asked = request.headerFields
            if let tag = asked[.ifNoneMatch] ?? asked[.ifModifiedSince],
                tag == validators[.eTag] ?? validators[.lastModified]
            {
                return OriginResponse(.notModified, fields, [])
            }
            let isWhole = request.method == .head || asked[.ifRange].map { $0 != validators[.eTag] } ?? false
            guard !ignoresRange, !isWhole, let range = asked[.range].flatMap({ ByteRangeSet($0)?.ranges.first }),
                let part = range.resolved(in: bytes.count)
            else {
                fields[.contentLength] = "\(bytes.count)"
                return OriginResponse(.ok, fields, request.method == .head ? [] : [bytes])
            }
            fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
            return OriginResponse(.partialContent, fields, [Array(bytes[part])])
        }
    }

    private func get(
        _ fixture: FallbackFixture,
        _ fields: HTTPFields,
        method: HTTPRequest.Method = .get
    ) async throws -> Received {
        let response = try await fixture.get("x", fields, method: method)
        try await eventually { fixture.responder.fallback.coordinator.sharedFetches.isEmpty }
        await fixture.responder.fallback.cache.flush()
        return response
    }

    /// Stores bytes 2 to 7, which are stale then.
    private func store(_ fixture: FallbackFixture) async throws {
        #expect(try await get(fixture, [.range: "bytes=2-7"]).text == "234567")
        fixture.clock.advance(by: .seconds(90))
    }

    /// Range and precondition of the requests after the first.
    private func asked(_ fixture: FallbackFixture) -> [[String?]] {
        fixture.network.requests.dropFirst().map {
            [$0.headerFields[.range], $0.headerFields[.ifNoneMatch] ?? $0.headerFields[.ifModifiedSince]]
        }
    }

    @Test(
        "a stale part that suffices is confirmed by a 304, and is as fresh as that",
        arguments: [[.eTag: "\"1\""], [.eTag: "W/\"1\""], [.lastModified: Self.modified]] as [HTTPFields]
    )
    func confirmed(_ validators: HTTPFields) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, Self.old, validators)
            try await store(fixture)
            let response = try await get(fixture, [.range: "bytes=3-5"])
            #expect(response.status == 206 && response.text == "345")
            #expect(response[.contentRange] == "bytes 3-5/10" && response[.contentLength] == "3")
            #expect(response.cacheStatus?.contains("fwd=stale; fwd-status=304") == true)
            #expect(asked(fixture) == [["bytes=3-5", validators[.eTag] ?? Self.modified]])
            // All of the part, not only what was asked for.
            let later = try await get(fixture, [.range: "bytes=2-7"])
            #expect(later.text == "234567" && later.cacheStatus?.contains("hit; ttl=60") == true)
            #expect(fixture.network.requests.count == 2)
            #expect(try fixture.store.verify().isEmpty)
        }
    }

    @Test("other content in a 206 replaces the parts, and nothing of both is mixed")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            try await store(fixture)
            publish(fixture, Self.new, [.eTag: "\"2\""])
            let response = try await get(fixture, [.range: "bytes=3-5"])
            #expect(response.status == 206 && response.text == "def" && response[.eTag] == "\"2\"")
            #expect(asked(fixture) == [["bytes=3-5", "\"1\""]])
            #expect(try await fixture.get("x", [.range: "bytes=4-5"], offline: true).text == "ef")
            #expect(try await fixture.get("x", [.range: "bytes=6-7"], offline: true).status == 504)
        }
    }

    @Test("a 200 replaces the parts by the whole", arguments: [nil, "\"1\""])
    func whole(ifRange: String?) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            try await store(fixture)
            publish(fixture, Self.new, [.eTag: "\"2\""], ignoresRange: ifRange == nil)
            var fields: HTTPFields = [.range: "bytes=3-5"]
            fields[.ifRange] = ifRange
            let response = try await get(fixture, fields)
            // The client's condition is about other content than the origin has now.
            #expect(response.status == (ifRange == nil ? 206 : 200))
            #expect(response.text == (ifRange == nil ? "def" : "abcdefghij"))
            #expect(asked(fixture) == [["bytes=3-5", "\"1\""]])
            #expect(try await fixture.get("x", offline: true).text == "abcdefghij")
        }
    }

    @Test("a 304 about another response confirms nothing: the origin is asked again")
    func other() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            try await store(fixture)
            fixture.network.response(FallbackFixture.origin + "x") { request in
                guard request.headerFields.contains(.ifNoneMatch) else {
                    return OriginResponse(.partialContent, [.eTag: "\"2\"", .contentRange: "bytes 3-5/10"], "def")
                }
                return OriginResponse(.notModified, [.eTag: "\"2\""], [])
            }
            #expect(try await get(fixture, [.range: "bytes=3-5"]).text == "def")
            #expect(asked(fixture) == [["bytes=3-5", "\"1\""], ["bytes=3-5", nil]])
        }
    }

    @Test("without an origin the part is used, unless the origin has forbidden it")
    func disconnected() async throws {
        for (cacheControl, status) in [("max-age=60", 206), ("max-age=60, must-revalidate", 504)] {
            try await withTemporaryDirectory { directory in
                let fixture = try FallbackFixture(in: directory)
                publish(fixture, cacheControl: cacheControl)
                try await store(fixture)
                fixture.network.isDown = true
                for isOffline in [true, false] {
                    let response = try await fixture.get("x", [.range: "bytes=3-5"], offline: isOffline)
                    #expect(response.status == status)
                    if status == 206 { #expect(response.text == "345" && response.layer == .stale) }
                }
            }
        }
    }

    @Test("an origin that fails leaves the part, which stands in for it where it may", arguments: [true, false])
    func outage(isTolerated: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, cacheControl: isTolerated ? "max-age=60, stale-if-error=1000" : "max-age=60")
            try await store(fixture)
            fixture.publish("x", "broken", [:], status: .serviceUnavailable)
            #expect(try await fixture.get("x", [.range: "bytes=3-5"]).status == (isTolerated ? 206 : 503))
            #expect(try await fixture.get("x", [.range: "bytes=3-5"], offline: true).text == "345")
        }
    }

    @Test("stale-while-revalidate sends the part at once, and validates it with its range behind")
    func behind() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture, cacheControl: "max-age=60, stale-while-revalidate=60")
            try await store(fixture)
            let response = try await get(fixture, [.range: "bytes=3-5"])
            #expect(response.text == "345" && response.layer == .stale)
            #expect(asked(fixture) == [["bytes=3-5", "\"1\""]])
            #expect(try await get(fixture, [.range: "bytes=2-7"]).cacheStatus?.contains("hit; ttl=60") == true)
        }
    }

    @Test("a condition of the client's is decided by the head of the part, and so is HEAD")
    func conditions() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            try await store(fixture)
            #expect(try await get(fixture, [.ifNoneMatch: "\"1\"", .range: "bytes=3-5"]).status == 304)
            // What the client has may be newer than the part, so its range isn't sent.
            #expect(asked(fixture) == [[nil, "\"1\""]])
            for isConditional in [true, false] {
                fixture.clock.advance(by: .seconds(90))
                if !isConditional {
                    let fields: HTTPFields = [.eTag: "\"1\"", .contentLength: "10", .cacheControl: "max-age=60"]
                    fixture.network.response(FallbackFixture.origin + "x") { _ in OriginResponse(.ok, fields, []) }
                }
                let head = try await get(fixture, [:], method: .head)
                #expect(head.status == 200 && head[.contentLength] == "10" && head.bytes.isEmpty)
                let part = try await get(fixture, [.range: "bytes=2-7"])
                #expect(part.text == "234567" && part.cacheStatus?.contains("hit; ttl=60") == true)
            }
        }
    }

    @Test("a confirmed part is no response to another request that waited for more")
    func joined() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            publish(fixture)
            try await store(fixture)
            let latch = Latch()
            fixture.network.response(FallbackFixture.origin + "x") { request in
                try await latch.wait()
                let fields: HTTPFields = [.eTag: "\"1\"", .cacheControl: "max-age=60"]
                let isConditional = request.headerFields.contains(.ifNoneMatch)
                return OriginResponse(isConditional ? .notModified : .ok, fields, isConditional ? [] : [Self.old])
            }
            let sharedFetches = fixture.responder.fallback.coordinator.sharedFetches
            let first = Task { try await fixture.get("x", [.ifNoneMatch: "\"1\""]) }
            try await eventually { sharedFetches.waiterCount >= 1 }
            let second = Task { try await fixture.get("x") }
            try await eventually { sharedFetches.waiterCount >= 2 }
            latch.open()
            #expect(try await first.value.status == 304)
            let whole = try await second.value
            #expect(whole.status == 200 && whole.text == "0123456789")
        }
    }
}
