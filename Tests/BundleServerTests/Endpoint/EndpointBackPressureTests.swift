import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Synchronization
import Testing

@testable import BundleServer

@Suite("Back-pressure at the endpoint")
struct EndpointBackPressureTests {
    /// More than the kernel's buffers at both ends and the server's own hold, and much less than the body.
    private static let limit = 24 << 20

    @Test("the origin is read only as fast as the client reads")
    func slowClient() async throws {
        let source = CountedSource(chunkCount: 128)
        try await withStore { store in
            try store.installShop()
            try await withEndpoint(store, transport: source) { endpoint in
                try await withRawConnection(to: endpoint.port) { slow in
                    try await slow.send("GET /shop/endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await slow.head().status == 200)
                    // Time for the server to run ahead of the slow client, measured in requests of others.
                    for _ in 0..<50 { #expect(try await endpoint.get("/shop/app.js").status == 200) }
                    #expect(source.producedByteCount < Self.limit)
                    var lead = 0
                    try await slow.skip(CountedSource.chunkByteCount * source.chunkCount) { received in
                        lead = max(lead, source.producedByteCount - received)
                    }
                    #expect(lead < Self.limit)
                    #expect(try await slow.get("/shop/app.js").text == "run()")
                }
            }
        }
    }
}

/// An origin with a long response, which counts the bytes taken.
private final class CountedSource: OriginTransport {
    static let chunkByteCount = 1 << 20

    let chunkCount: Int
    private let produced = Mutex(0)

    init(chunkCount: Int) {
        self.chunkCount = chunkCount
    }

    var producedByteCount: Int { produced.withLock { $0 } }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        let fields: HTTPFields = [
            .contentLength: String(chunkCount * Self.chunkByteCount), .cacheControl: "no-store",
        ]
        let chunks = AsyncStream { [self] in
            produced.withLock { produced -> [UInt8]? in
                guard produced < chunkCount * Self.chunkByteCount else { return nil }
                produced += Self.chunkByteCount
                return [UInt8](repeating: 1, count: Self.chunkByteCount)
            }
        }
        return OriginResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: BodyStream(chunks))
    }
}
