import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes

/// An origin that answers when the gate is open.
struct GatedOrigin: OriginTransport {
    let gate = Gate()

    func send(_ request: HTTPRequest) async throws -> OriginResponse {
        try await gate.pass()
        return OriginResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentLength: "4", .cacheControl: "no-store"]),
            body: BodyStream(Array("late".utf8))
        )
    }
}
