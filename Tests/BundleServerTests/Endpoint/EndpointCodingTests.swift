import BundleStore
import BundleTesting
import Testing

@testable import BundleCoding
@testable import BundleServer

@Suite("Codings over the wire")
struct EndpointCodingTests {
    private static let script = String(repeating: "function add(a, b) { return a + b }\n", count: 50)

    private static func withShop(
        variantQuota: Int64? = VariantStore.defaultQuota,
        clock: TestClock = TestClock(),
        _ body: (RunningEndpoint) async throws -> Void
    ) async throws {
        try await withStore { store in
            try store.installShop(script: script)
            try await withEndpoint(
                store,
                clock: clock,
                configure: { ($0.variantQuota, $0.codesForLocalClients) = (variantQuota, true) }
            ) { try await body($0) }
        }
    }

    /// Sends requests until the response has a coding. The clock advances with each one: the coding is made after an interval
    /// without requests, or after a limit.
    private static func coded(
        _ accepted: String,
        _ endpoint: RunningEndpoint,
        _ clock: TestClock
    ) async throws -> RawResponse {
        func get() async throws -> RawResponse {
            try await endpoint.get("/app.js", host: "shop.localhost", ["Accept-Encoding: \(accepted)"])
        }
        var response = try await get()
        // It is made at the lowest priority: the requests leave it the processor.
        try await eventually("the coding of \(accepted)", every: .milliseconds(20)) {
            guard response["content-encoding"] == nil else { return true }
            #expect(response.text == script)
            #expect(response["vary"] == "Accept-Encoding")
            clock.advance(by: IdleDetector.limit)
            response = try await get()
            return false
        }
        return response
    }

    @Test(
        "a file is first sent without a coding, and later in the coding that has been made",
        arguments: [("gzip, deflate, br, zstd", "br"), ("gzip", "gzip"), ("br;q=0.5, zstd", "zstd")]
    )
    func coding(_ accepted: String, _ expected: String) async throws {
        let clock = TestClock()
        try await Self.withShop(clock: clock) { endpoint in
            let plain = try await endpoint.get("/app.js", host: "shop.localhost")
            let coded = try await Self.coded(accepted, endpoint, clock)
            #expect(coded["content-encoding"] == expected)
            #expect(coded["content-length"] == String(coded.body.count))
            #expect(coded.body.count < Self.script.utf8.count / 5)
            #expect(coded["content-type"] == plain["content-type"])
            #expect(coded["vary"] == "Accept-Encoding")
            let tag = try #require(coded["etag"])
            #expect(tag == plain["etag"].map { "\($0.dropLast())-\(expected)\"" })
            let fields = ["Accept-Encoding: \(accepted)"]
            let unchanged = try await endpoint.get(
                "/app.js",
                host: "shop.localhost",
                fields + ["If-None-Match: \(tag)"]
            )
            #expect(unchanged.status == 304)
            #expect(unchanged["etag"] == tag)
            let part = try await endpoint.get("/app.js", host: "shop.localhost", fields + ["Range: bytes=0-7"])
            #expect(part.text == "function")
            #expect(part["content-encoding"] == nil)
            #expect(try await endpoint.get("/app.js", host: "shop.localhost").text == Self.script)
        }
    }

    @Test("with codings off, files are sent without a coding and without Vary")
    func off() async throws {
        try await Self.withShop(variantQuota: nil) { endpoint in
            for _ in 0..<2 {
                let response = try await endpoint.get("/app.js", host: "shop.localhost", ["Accept-Encoding: br"])
                #expect(response.text == Self.script)
                #expect(response["vary"] == nil)
            }
        }
    }
}
