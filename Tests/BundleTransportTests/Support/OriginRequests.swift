import BundleServing
import BundleTesting
import HTTPTypes

extension RawOrigin {
    func request() -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
    }
}

extension OriginServer {
    func request(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: String(baseURL.dropFirst("http://".count)), path: path)
    }
}

extension BodyStream {
    /// The whole body.
    func all() async throws -> [UInt8] {
        try await reduce(into: []) { $0 += $1 }
    }
}
