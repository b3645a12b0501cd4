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
        guard let scheme = next.url?.scheme?.lowercased(),
            ["http", "https"].contains(scheme) || scheme == responsible.options.scheme
        else { return fail(LoadingFailure.error(.unsupportedURL, next.url)) }
        let keepsContent = next.httpMethod == request.httpMethod
        guard !keepsContent || !content.isStream else {
            return fail(LoadingFailure.error(.requestBodyStreamExhausted, next.url))
        }
        if !keepsContent { content = RequestContent(next) }
        request = next
        ask()
    }
}
