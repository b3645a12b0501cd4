import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
