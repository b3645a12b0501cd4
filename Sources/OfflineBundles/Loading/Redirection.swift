import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where a response redirects a request to: a pure decision (RFC 9110 §15.4; Fetch, “HTTP-redirect fetch”).
enum Redirection {
    /// How often a request is redirected at most. Foundation's limit is the same.
    static let maximumCount = 20

    /// The request that follows; nil when the response is none that redirects, or says nowhere to.
    static func request(after response: HTTPResponse, to request: URLRequest) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status.code), let base = request.url,
            let location = response.headerFields[.location],
            let url = URL(string: location, relativeTo: base)?.absoluteURL
        else { return nil }
        var next = request
        next.url = url
        if changesMethod(response.status.code, request.httpMethod ?? "GET") {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
            for name in contentFields { next.setValue(nil, forHTTPHeaderField: name) }
        }
        // The cookies of the next URL are others, and credentials are those of one origin.
        next.setValue(nil, forHTTPHeaderField: "Cookie")
        if !hasSameOrigin(base, url) { next.setValue(nil, forHTTPHeaderField: "Authorization") }
        return next
    }

    private static let contentFields = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type",
    ]

    private static func changesMethod(_ status: Int, _ method: String) -> Bool {
        switch status {
        case 301, 302: method == "POST"
        case 303: method != "GET" && method != "HEAD"
        default: false
        }
    }

    private static func hasSameOrigin(_ one: URL, _ other: URL) -> Bool {
        func origin(_ url: URL) -> String {
            let scheme = url.scheme?.lowercased() ?? ""
            return "\(scheme)://\(url.host()?.lowercased() ?? ""):\(url.port ?? (scheme == "https" ? 443 : 80))"
        }
        return origin(one) == origin(other)
    }
}
