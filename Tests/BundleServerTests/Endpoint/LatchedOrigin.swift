import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes

/// An origin that responds once the latch is open.
struct LatchedOrigin: OriginTransport {
    let latch = Latch()

    func send(_ call: OriginCall) async throws -> OriginResponse {
        try await latch.wait()
        return OriginResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentLength: "4", .cacheControl: "no-store"]),
            body: BodyStream(Array("late".utf8))
        )
    }
}
