import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Requests that are aborted while their responses are being stored")
struct AbortedFetchTests {
    private static let chunk = [UInt8](repeating: 1, count: 100_000)

    @Test(
        "take no more disk space than the quota allows, and none once their fetches have ended",
        .timeLimit(.minutes(5))
    )
    func quota() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 64 << 20)
            let quota: Int64 = 2_000_000
            try fixture.store.setQuota(quota)
            let latch = Latch()
            for number in 0..<20 {
                fixture.network.response(FallbackFixture.origin + "large\(number)") { _ in
                    OriginResponse(
                        head: HTTPResponse(
                            status: .ok,
                            headerFields: [.cacheControl: "max-age=60", .contentLength: "1000000"]
                        ),
                        body: BodyStream(Self.body(latch))
                    )
                }
            }
            for number in 0..<20 { try await abort("large\(number)", fixture) }
            try await latch.waitForArrivals(20)
            #expect(try !incoming(directory).isEmpty)
            // The files of the fetches that have ended are removed in the background, after others may use their room.
            try await eventually {
                await fixture.store.flushCache()
                return try fixture.store.storageUse().byteCount <= quota
            }
            latch.open()
            try await eventually { try incoming(directory).isEmpty }
            #expect(try fixture.store.storageUse().byteCount <= quota)
        }
    }

    private func incoming(_ directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "incoming"))
    }

    /// Nine tenths of a body, and the rest when the latch is open.
    private static func body(_ latch: Latch) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            Task {
                for _ in 0..<9 { continuation.yield(chunk) }
                try await latch.wait()
                continuation.yield(chunk)
                continuation.finish()
            }
        }
    }

    /// Sends a request and aborts it when the response begins.
    private func abort(_ path: String, _ fixture: FallbackFixture) async throws {
        let request = HTTPRequest(method: .get, scheme: nil, authority: "m.example.com", path: "/shop/\(path)")
        guard case .streaming(_, let body, _) = await fixture.responder.respond(to: request) else { return }
        var chunks = body.makeAsyncIterator()
        _ = try await chunks.next()
    }
}
