import Foundation
import HTTPTypes

extension CachePolicy {
    /// Whether keeping a response is useful (RFC 9111 §3 leaves that to the cache): it can be served without the origin
    /// for a while, or the origin can confirm it, or it can be served when there is no network. An error is not: it
    /// would hide that there is no network.
    ///
    /// - Parameter stored: What would be kept, see
    ///   ``storedResponse(to:url:response:bodyLength:requestTime:responseTime:)``.
    package func isReusable(_ stored: StoredResponse) -> Bool {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        switch decision(for: request, stored: stored, now: stored.responseTime) {
        case .serve, .serveWhileRevalidating: return true
        case .revalidate(let fallback):
            return !stored.preconditions.isEmpty || fallback != .never && !stored.isError
        case .fetch, .refuse: return false
        }
    }
}

extension StoredResponse {
    /// Whether the status is one of 400 to 599.
    var isError: Bool { status >= 400 }
}
