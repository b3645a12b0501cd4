import BundleServing
import BundleStore
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("Documents of the publisher")
struct OriginDocumentTests {
    /// Responds with a body that never ends.
    private struct DrippingTransport: OriginTransport {
        let stream: AsyncStream<[UInt8]>

        func send(_ call: OriginCall) async throws -> OriginResponse {
            OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(stream))
        }
    }

    @Test("an endless response is aborted at the deadline, naming the URL")
    func deadline() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        continuation.yield(Array("{".utf8))
        let document = OriginDocument(transport: DrippingTransport(stream: stream), deadline: .zero)
        let url = try #require(URL(string: "https://m.example.com/feed.json?token=secret"))
        let error = await #expect(throws: BundleError.self) { try await document.bytes(of: url, limit: 1_000) }
        #expect(error?.code == .networkUnavailable)
        #expect(error?.message.hasPrefix("https://m.example.com/feed.json isn't there") == true)
        continuation.finish()
    }
}
