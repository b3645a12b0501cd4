import BundleServing
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Several requests for one missing URL")
struct SharedFetchTests {
    /// Sends a request, and others while it is at the latch, and returns all responses in order.
    private func race(
        _ fixture: FallbackFixture,
        _ latch: Latch,
        _ requests: [HTTPFields]
    ) async throws -> [Received] {
        try await withThrowingTaskGroup(of: (Int, Received).self) { group in
            group.addTask { (0, try await fixture.get("x", requests[0])) }
            try await latch.waitForArrivals()
            for index in 1..<requests.count {
                group.addTask { (index, try await fixture.get("x", requests[index])) }
            }
            try await eventually { fixture.responder.fallback.coordinator.sharedFetches.waiterCount >= requests.count }
            latch.open()
            var responses: [Int: Received] = [:]
            for try await (index, response) in group { responses[index] = response }
            return requests.indices.compactMap { responses[$0] }
        }
    }

    private func fixture(
        in directory: TemporaryDirectory,
        _ latch: Latch,
        _ fields: HTTPFields
    ) throws -> FallbackFixture {
        let fixture = try FallbackFixture(in: directory)
        fixture.network.response(FallbackFixture.origin + "x") { request in
            try await latch.wait()
            return OriginResponse(.ok, fields, request.headerFields[.acceptLanguage] ?? "x")
        }
        return fixture
    }

    @Test("make one fetch, and each gets the whole response")
    func collapsed() async throws {
        try await withTemporaryDirectory { directory in
            let latch = Latch()
            let fixture = try fixture(in: directory, latch, [.cacheControl: "max-age=60"])
            let responses = try await race(fixture, latch, Array(repeating: [:], count: 20))
            #expect(responses.map(\.text) == Array(repeating: "x", count: 20))
            #expect(fixture.network.requests.count == 1)
            #expect(try fixture.cachedURLs.count == 1)
            #expect(responses[0].cacheStatus?.contains("collapsed") == false)
        }
    }

    @Test("fetch separately when the first response may not be shared")
    func uncacheable() async throws {
        try await withTemporaryDirectory { directory in
            let latch = Latch()
            let fixture = try fixture(in: directory, latch, [.cacheControl: "no-store"])
            let responses = try await race(fixture, latch, Array(repeating: [:], count: 5))
            #expect(responses.map(\.text) == Array(repeating: "x", count: 5))
            #expect(fixture.network.requests.count == 5)
        }
    }

    @Test("get the variant that each requested")
    func variants() async throws {
        try await withTemporaryDirectory { directory in
            let latch = Latch()
            let fixture = try fixture(in: directory, latch, [.cacheControl: "max-age=60", .vary: "Accept-Language"])
            let languages = ["de", "en", "de", "fr"]
            let responses = try await race(fixture, latch, languages.map { [.acceptLanguage: $0] })
            #expect(responses.map(\.text) == languages)
        }
    }

    @Test("all get the network's failure")
    func failure() async throws {
        try await withTemporaryDirectory { directory in
            let latch = Latch()
            let fixture = try FallbackFixture(in: directory)
            fixture.network.response(FallbackFixture.origin + "x") { _ in
                try await latch.wait()
                throw OriginResponse.connectionLost
            }
            let responses = try await race(fixture, latch, Array(repeating: [:], count: 5))
            #expect(responses.map(\.status) == Array(repeating: 504, count: 5))
            fixture.publish("x", "back")
            #expect(try await fixture.get("x").text == "back")
        }
    }

    @Test("aren't lost when the one that began the fetch disconnects")
    func cancelledLeader() async throws {
        try await withTemporaryDirectory { directory in
            let latch = Latch()
            let fixture = try fixture(in: directory, latch, [.cacheControl: "max-age=60"])
            let leader = Task { try await fixture.get("x") }
            try await latch.waitForArrivals()
            let follower = Task { try await fixture.get("x") }
            try await eventually { fixture.responder.fallback.coordinator.sharedFetches.waiterCount >= 2 }
            leader.cancel()
            latch.open()
            #expect(try await follower.value.text == "x")
            #expect(fixture.network.requests.count == 1)
        }
    }
}
