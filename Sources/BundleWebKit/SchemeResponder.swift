import HTTPTypes
import OfflineBundles

/// Responds to the requests of a custom scheme, with what can take the place of redirects; see ``SchemeRedirect``.
package struct SchemeResponder: Sendable {
    /// As many as the Fetch standard allows (“HTTP-redirect fetch”).
    private static let maximumRedirectCount = 20

    private let mappings: [OriginMapping]
    private let respond: @Sendable (WebViewRequest) async -> ServedResponse

    /// - Parameters:
    ///   - mappings: Those of the bundle whose URLs are requested.
    ///   - respond: Gives the response of the origin's URL.
    package init(
        _ mappings: [OriginMapping],
        respond: @escaping @Sendable (WebViewRequest) async -> ServedResponse
    ) {
        (self.mappings, self.respond) = (mappings, respond)
    }

    /// The response for the web view, see ``finish(_:to:of:)``.
    package func response(
        to request: WebViewRequest,
        of url: BundleSchemeURL
    ) async throws(SchemeFailure) -> ServedResponse {
        try await finish(await respond(request), to: request, of: url)
    }

    /// The response for the web view: redirects within the bundle are followed, and for a page one that navigates takes their
    /// place.
    ///
    /// - Parameters:
    ///   - response: What the origin's URL has responded.
    ///   - request: The request for that.
    ///   - url: The same in the scheme.
    /// - Throws: ``SchemeFailure/noRedirect``.
    package func finish(
        _ response: ServedResponse,
        to request: WebViewRequest,
        of url: BundleSchemeURL
    ) async throws(SchemeFailure) -> ServedResponse {
        var (response, request, url) = (response, request, url)
        for _ in 0...Self.maximumRedirectCount {
            switch SchemeRedirect(response.head, to: request, of: url, in: mappings) {
            case nil: return inScheme(response, url)
            case .navigate(let address): return RedirectPage.response(to: address, in: response)
            case .refuse: throw .noRedirect
            case .follow(let next, let method, let keepsContent):
                guard let origin = next.url(in: mappings),
                    let nextRequest = request.redirected(to: origin, method, keepsContent: keepsContent)
                else { throw .noRedirect }
                (request, url) = (nextRequest, next)
                response = await respond(request)
            }
        }
        throw .noRedirect
    }

    /// The same where that needs no waiting; nil for redirects.
    package func finishAtOnce(
        _ response: ServedResponse,
        to request: WebViewRequest,
        of url: BundleSchemeURL
    ) -> ServedResponse? {
        SchemeRedirect(response.head, to: request, of: url, in: mappings) == nil ? inScheme(response, url) : nil
    }

    /// Location of other responses, such as that of 201, is an address for the page too.
    private func inScheme(_ response: ServedResponse, _ url: BundleSchemeURL) -> ServedResponse {
        guard let location = response.head.headerFields[.location] else { return response }
        var response = response
        response.head.headerFields[.location] = url.location(location, in: mappings)
        return response
    }
}
