import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// Prepares the responses of files in active releases: the only ones that no other layer, no page's version and no kind of
/// request has a say in.
///
/// A value; safe to share between threads.
struct BundledFiles: Sendable {
    let resolver: LiveResolver
    let layers: LayeredResponder
    let hosts: HostPolicy
    let fields: AddedFields
    /// Whether requests come over TLS.
    let isSecure: Bool

    /// Another number when answers that were prepared earlier may be wrong now.
    var generation: Int64 { layers.generation }

    /// Makes the response to a request, or nil when none can be kept for all requests that ask for the same.
    ///
    /// - Parameters:
    ///   - request: A GET in origin-form, with a host and perhaps `Accept-Encoding`.
    ///   - key: What the response is found by.
    ///   - isConditional: Whether those who have the file are to be told so.
    func readyResponse(
        to request: HTTPRequest,
        key: UnsafeRawBufferPointer,
        isConditional: Bool
    ) -> ReadyResponse? {
        guard let admitted = hosts.admitted(request, at: nil), let (resource, match) = found(by: admitted) else {
            return nil
        }
        let whole = response(to: admitted, with: resource, match)
        var notModified: Response?
        if isConditional {
            var conditional = admitted
            conditional.headerFields[.ifNoneMatch] = whole.head.headerFields[.eTag]
            notModified = response(to: conditional, with: resource, match)
        }
        guard !resource.hasFaulted else { return nil }
        let source = ResponseSource(.active, resource.asset.release)
        return ReadyResponse(
            key: key,
            whole: whole,
            notModified: notModified,
            source: source,
            cookie: layers.tellsPageVersions ? VersionCookie(resource.asset.release, of: match.publisherCookie) : nil,
            mark: layers.mark(of: resource, match),
            // Who opens a page where another publisher had its own may have to be cleared first.
            isForPages: match.isForPages && match.publisherCookie == nil
        )
    }

    /// Of the request only `Origin` has an influence on the added fields, and one with that isn't plain.
    private func response(to request: HTTPRequest, with resource: Resource, _ match: ResourceMatch) -> Response {
        let response = layers.respond(to: request, with: resource, of: match)
        return Response(head: fields.decorated(response.head, for: request, isSecure: isSecure), body: response.body)
    }

    /// The file of an active release that a path names, directly or as the page of a folder: there it doesn't matter whether
    /// a page is being opened. Nil also for one that takes long to answer for the first time.
    private func found(by request: HTTPRequest) -> (Resource, ResourceMatch)? {
        guard let path = request.path, let target = RequestTarget(path, host: request.authority),
            let match = resolver.current.match(target, isNavigation: false),
            case .found(let resource) = match.outcome, resource.layer == .active, resource.asset.hasReadyHeaderFields
        else { return nil }
        return (resource, match)
    }
}
