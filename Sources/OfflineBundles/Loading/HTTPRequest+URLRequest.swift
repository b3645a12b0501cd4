import BundleEmbedding
import Foundation
import HTTPCore
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

extension RequestTarget {
    /// A URL as the layers get it.
    ///
    /// - Returns: Nil for a URL of another scheme than http, https and the app's own, without a host, or, of http and https,
    ///   with user information.
    init?(_ url: URL, _ options: LoadingOptions) {
        guard options.hasScheme(of: url) else {
            self.init(url: url.absoluteString)
            return
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty,
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        // As an endpoint gets it from a browser: each bundle has a host of its own.
        self.init(path + (parts.percentEncodedQuery.map { "?\($0)" } ?? ""), host: "\(host).localhost")
    }
}

/// The cookies of a session. A value type.
struct CookieHandling {
    /// Nil when the session keeps none.
    let storage: HTTPCookieStorage?
    let accepts: HTTPCookie.AcceptPolicy

    /// Gives a request the cookies of its URL, unless it has its own or wants none.
    func adjust(_ fields: inout HTTPFields, for request: URLRequest) {
        guard let storage, let url = request.url else { return }
        let cookies = HTTPCookie.requestHeaderFields(with: storage.cookies(for: url) ?? [])["Cookie"] ?? ""
        if !request.httpShouldHandleCookies {
            // Linux adds them to every request of the session.
            if fields[.cookie] == cookies { fields[.cookie] = nil }
        } else if fields[.cookie] == nil, !cookies.isEmpty {
            fields[.cookie] = cookies
        }
    }

    /// Keeps the cookies of a response.
    func keep(_ fields: HTTPFields, of request: URLRequest) {
        guard let storage, let url = request.url, request.httpShouldHandleCookies, mayKeep(url, request) else { return }
        for value in fields[values: .setCookie] {
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
            storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
        }
    }

    private func mayKeep(_ url: URL, _ request: URLRequest) -> Bool {
        guard accepts == .onlyFromMainDocumentDomain else { return accepts != .never }
        guard let main = request.mainDocumentURL?.host()?.lowercased(), let host = url.host()?.lowercased() else {
            return true
        }
        return host == main || host.hasSuffix(".\(main)") || main.hasSuffix(".\(host)")
    }
}
