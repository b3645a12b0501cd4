import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a session adds to its requests, as far as it can be told. A value type.
struct SessionSettings {
    /// Fields that a request without them gets. Apple's systems add them before a `URLProtocol` sees the request.
    var fields: [String: String] = [:]
    var cookies: CookieHandling
    var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    var credentials: URLCredentialStorage?

    /// - Parameter configuration: That of the session; nil where it isn't known.
    init(_ configuration: URLSessionConfiguration?, _ options: LoadingOptions) {
        guard let configuration else {
            cookies = CookieHandling(storage: options.cookieStorage, accepts: .onlyFromMainDocumentDomain)
            credentials = .shared
            return
        }
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            if let name = name as? String { fields[name] = "\(value)" }
        }
        let storage = configuration.httpShouldSetCookies ? configuration.httpCookieStorage : nil
        cookies = CookieHandling(storage: storage, accepts: configuration.httpCookieAcceptPolicy)
        cachePolicy = configuration.requestCachePolicy
        credentials = configuration.urlCredentialStorage
    }
}
