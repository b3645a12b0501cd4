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
    ///   - target: Its URL, as the layers get it.
    ///   - contentLength: The length of its content; nil for none, or when it isn't known.
    ///   - session: What the session adds to its requests.
    /// - Returns: Nil when its method isn't one.
    init?(_ request: URLRequest, _ target: RequestTarget, contentLength: Int?, session: SessionSettings) {
        guard let method = Method(request.httpMethod ?? "GET") else { return nil }
        self.init(
            method: method,
            scheme: target.scheme,
            authority: target.authority,
            path: target.path + target.query
        )
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
