import BundleModel
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

/// URLs such as `bundle://shop/products/`: a scheme of the app, a bundle's name, and a path in it. They stand for URLs of the bundle's
/// first origin, so that all layers apply; what differs is the origin that the page has.
package struct BundleSchemeURL: Equatable, Sendable {
    /// The usual scheme, and that of `hybrid-shell`.
    package static let scheme = "bundle"

    /// In lower case.
    package let scheme: String
    package let name: BundleName
    /// With its slash, and the query.
    package let target: String

    /// - Parameter scheme: The one that the app uses, in any case. URLs of others give nil.
    package init?(_ url: String, scheme: String = BundleSchemeURL.scheme) {
        self.scheme = scheme.lowercased()
        let prefix = self.scheme + "://"
        guard url.lowercased().hasPrefix(prefix) else { return nil }
        let rest = url.dropFirst(prefix.count).prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let name = BundleName(String(rest[..<end])) else { return nil }
        self.name = name
        target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }

    /// The URL at the origin; nil when no mapping of the bundle has the path.
    package func url(in mappings: [OriginMapping]) -> String? {
        mappings.first { target.hasPrefix($0.path) }.map { "\($0.origin)\(target.dropFirst($0.path.count))" }
    }

    /// Where a redirect of the origin leads, in this scheme; the same text when it leads elsewhere.
    package func location(_ location: String, in mappings: [OriginMapping]) -> String {
        guard let mapping = mappings.first(where: { location.hasPrefix("\($0.origin)") }) else { return location }
        return "\(scheme)://\(name)\(mapping.path)\(location.dropFirst("\(mapping.origin)".count))"
    }
}

extension ServedResponse {
    /// How much of a body is passed on in one piece.
    private static let pieceByteCount = 256 << 10

    /// The body as streams to be read one after the other; a short one is in memory at once.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when a bundled file can't be read any more.
    package func bodies() throws -> [BodyStream] {
        switch self {
        case .streaming(_, let body, _): return [body]
        case .switching: return []
        case .complete(let response, _):
            guard response.body.byteCount <= Self.pieceByteCount else {
                return response.body.parts.map { BodyStream($0) }
            }
            let bytes = response.body.array
            guard !response.body.hasFaulted else {
                throw BundleError(.storeDamaged, "a file of the store can't be read any more", .checkDisk)
            }
            return [BodyStream(bytes)]
        }
    }

    /// The length of the body, where it is known before it arrives.
    package var bodyByteCount: Int64? {
        switch self {
        case .streaming(let head, _, _): head.headerFields[.contentLength].flatMap { Int64($0) }
        case .complete(let response, _): Int64(response.body.byteCount)
        case .switching: 0
        }
    }
}
