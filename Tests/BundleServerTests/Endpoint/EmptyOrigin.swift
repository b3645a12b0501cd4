import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Synchronization

@testable import BundleServer

/// An origin that records its requests, and has no content.
final class EmptyOrigin: OriginTransport {
    private let asked = Mutex<[String]>([])

    var urls: [String] { asked.withLock { $0 } }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        asked.withLock { $0.append(call.request.path ?? "") }
        return OriginResponse(head: HTTPResponse(status: .notFound), body: BodyStream([]))
    }
}

/// Serves a shop whose origin has no content, and passes both to `body`.
func withEmptyOrigin(
    _ limit: (inout ServerLimits) -> Void = { _ in },
    _ body: (RunningEndpoint, EmptyOrigin) async throws -> Void
) async throws {
    try await withStore { store in
        try store.installShop()
        let origin = EmptyOrigin()
        try await withEndpoint(store, transport: origin, configure: { limit(&$0.limits) }) { endpoint in
            try await body(endpoint, origin)
        }
    }
}
