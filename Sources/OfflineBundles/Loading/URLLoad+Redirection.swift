import BundleEmbedding
import Foundation
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
            // The loading system makes another protocol for the next request, and ends this one (Apple, “CustomHTTPProtocol”).
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
        let keepsContent = next.httpMethod == request.httpMethod
        guard !keepsContent || !content.isStream else {
            return fail(LoadingFailure.error(.requestBodyStreamExhausted, next.url))
        }
        if !keepsContent { content = RequestContent(next) }
        (request, self.target) = (next, target)
        // As for a URL that a session begins with: user information is for the network.
        isCovered = options.isOwn(target) || url.user() == nil && client.covers(target)
        ask()
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
