import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Requests that are given up while their responses are being kept")
struct AbortedFetchTests {
    private static let chunk = [UInt8](repeating: 1, count: 100_000)

    @Test(
        "don't take more of the disk than the quota has, and nothing once their fetches have ended",
        .timeLimit(.minutes(5))
    )
    func quota() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory, maximumByteCount: 64 << 20)
            let quota: Int64 = 2_000_000
            try fixture.store.setQuota(quota)
            let gate = Gate()
            for number in 0..<20 {
                fixture.network.response(FallbackFixture.origin + "large\(number)") { _ in
                    OriginResponse(
                        head: HTTPResponse(
                            status: .ok,
                            headerFields: [.cacheControl: "max-age=60", .contentLength: "1000000"]
                        ),
                        body: BodyStream(Self.body(gate))
                    )
                }
            }
            for number in 0..<20 { try await abort("large\(number)", fixture) }
            try await gate.waitForArrivals(20)
            #expect(try !incoming(directory).isEmpty)
            let use = try fixture.store.storageUse()
            #expect(use.byteCount <= quota)
            gate.open()
            while try !incoming(directory).isEmpty { await Task.yield() }
            #expect(try fixture.store.storageUse().byteCount <= quota)
        }
    }

    private func incoming(_ directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "incoming"))
    }

    /// Nine tenths of a body, and the rest when the gate is open.
    private static func body(_ gate: Gate) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            Task {
                for _ in 0..<9 { continuation.yield(chunk) }
                try await gate.pass()
                continuation.yield(chunk)
                continuation.finish()
            }
        }
    }

    /// Asks for something and gives up when the response begins.
    private func abort(_ path: String, _ fixture: FallbackFixture) async throws {
        let request = HTTPRequest(method: .get, scheme: nil, authority: "m.example.com", path: "/shop/\(path)")
        guard case .streaming(_, let body, _) = await fixture.responder.respond(to: request) else { return }
        var chunks = body.makeAsyncIterator()
        _ = try await chunks.next()
    }
}
