import BundleEmbedding
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPRequest {
    /// A request of the loading system as the layers get it.
    ///
    /// - Parameters:
    ///   - contentLength: The length of its content; nil for none, or when it isn't known.
    ///   - session: What the session adds to its requests.
    /// - Returns: Nil when it can't be sent: no URL, or a method that isn't one.
    init?(_ request: URLRequest, contentLength: Int?, session: SessionSettings, options: LoadingOptions) {
        guard let url = request.url, let method = Method(request.httpMethod ?? "GET"),
            let target = LayerTarget(url, options)
        else { return nil }
        self.init(method: method, scheme: target.scheme, authority: target.authority, path: target.path)
        for (name, value) in session.fields { add(name, value, replacing: false) }
        for (name, value) in request.allHTTPHeaderFields ?? [:] { add(name, value, replacing: true) }
        session.cookies.adjust(&headerFields, for: request)
        if let contentLength { headerFields[.contentLength] = "\(contentLength)" }
        let policy = request.cachePolicy == .useProtocolCachePolicy ? session.cachePolicy : request.cachePolicy
        for directive in policy.directives { headerFields.append(HTTPField(name: .cacheControl, value: directive)) }
    }

    private mutating func add(_ name: String, _ value: String, replacing: Bool) {
        // The session undoes codings by itself, without a URLProtocol: what it would do with them is the transport's.
        guard let name = HTTPField.Name(name), ![.acceptEncoding, .host, .contentLength].contains(name),
            replacing || headerFields[name] == nil
        else { return }
        headerFields[name] = value
    }
}

extension HTTPField.Name {
    fileprivate static let host = HTTPField.Name("Host") ?? .connection
}

/// Scheme, authority and path of a URL as the layers get them. A value type.
struct LayerTarget {
    let scheme: String?
    let authority: String
    let path: String

    /// - Returns: Nil for a URL without a host.
    init?(_ url: URL, _ options: LoadingOptions) {
        guard let host = url.host(percentEncoded: true), !host.isEmpty,
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        path = (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath) + query
        if options.hasScheme(of: url) {
            // As an endpoint gets it from a browser: each bundle has a host of its own.
            (scheme, authority) = (nil, "\(host).localhost")
        } else {
            let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            (scheme, authority) = (url.scheme?.lowercased(), name + (url.port.map { ":\($0)" } ?? ""))
        }
    }
}

extension URLRequest.CachePolicy {
    /// What it means in RFC 9111 (§5.2.1).
    var directives: [String] {
        switch self {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            ["no-cache"]
        case .returnCacheDataElseLoad: ["max-stale"]
        case .returnCacheDataDontLoad: ["only-if-cached", "max-stale"]
        default: []
        }
    }
}
