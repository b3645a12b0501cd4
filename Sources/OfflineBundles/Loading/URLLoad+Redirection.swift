import BundleEmbedding
import Foundation
import HTTPCore
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Redirects, which are the loading system's to follow, or its delegate's to refuse.
extension URLLoad {
    func redirect(to next: URLRequest, _ response: ServedResponse) {
        redirectCount += 1
        guard redirectCount <= Redirection.maximumCount else {
            return fail(LoadingFailure.error(.httpTooManyRedirects, request.url))
        }
        guard let url = request.url, let owner, let head = FinalResponse.make(response.head, for: url) else { return }
        guard let session else {
            // The loading system makes another protocol for the next request, and ends this one (Apple, “CustomHTTPProtocol”). That one
            // can't read a stream which has been read here.
            var next = next
            if next.httpBodyStream != nil, !content.giveAwayStream() {
                guard let whole = content.whole else {
                    return fail(LoadingFailure.error(.requestBodyStreamExhausted, next.url))
                }
                next.httpBody = Data(whole)
            }
            end()
            owner.client?.urlProtocol(owner, wasRedirectedTo: next, redirectResponse: head)
            owner.client?.urlProtocol(owner, didFailWithError: CocoaError(.userCancelled))
            return
        }
        session.redirect(to: next, head) { chosen in
            self.place.run {
                guard self.isRunning else { return }
                if let chosen { self.follow(chosen) } else { self.deliver(response) }
            }
        }
    }

    private func follow(_ next: URLRequest) {
        guard let url = next.url, let target = RequestTarget(url.withoutUser, options) else {
            return fail(LoadingFailure.error(.unsupportedURL, next.url))
        }
        if next.httpMethod != request.httpMethod { content = URLRequestContent(next) }
        (request, self.target) = (next, target)
        // As for a URL that a session begins with: user information is for the network.
        isCovered = (options.isOwn(target) || url.user() == nil && client.covers(target)) && options.takes(next)
        askAgain { self.fail(LoadingFailure.error(.requestBodyStreamExhausted, url)) }
    }
}

extension URL {
    /// Without user information, which is sent in response to a challenge.
    fileprivate var withoutUser: URL {
        guard user() != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        (parts.user, parts.password) = (nil, nil)
        return parts.url ?? self
    }
}

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
