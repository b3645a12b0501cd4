import BundleServing
import BundleStore
import HTTPTypes

/// The answers that keep bundles apart in browsers, and that leave nothing behind of those that were removed.
extension LayeredResponder {
    /// What is answered in place of what a bundle has, where a browser would take several bundles for one origin; nil when nothing
    /// is.
    static func isolating(_ request: HTTPRequest, _ match: ResourceMatch) -> HTTPAnswer? {
        if match.sharesHost, NavigationRequest.isForServiceWorker(request) { return retiringWorker(request) }
        guard !match.isForPages, NavigationRequest.opensDocument(request) else { return nil }
        let name = match.release.name
        var answer: HTTPAnswer
        if let address = match.ownAddress {
            answer = plain(.temporaryRedirect, "Each bundle opens on a host of its own: \(address)", .isolated, request)
            answer.head.headerFields[.location] = address
        } else {
            let text =
                "The bundle's name is too long for a host of its own; serve --host \(name)=HOST gives it one, and"
            answer = plain(.notFound, "\(text) --mount \(name)=/PATH a path where it opens.", .isolated, request)
        }
        answer.head.headerFields.vary(by: NavigationRequest.decidingFields)
        return answer
    }

    /// What is answered where no bundle is.
    static func uncovered(_ request: HTTPRequest, _ absence: Absence) -> Beginning {
        let miss = AnswerSource(.miss)
        switch absence {
        case .unavailable: return .answered(notFound("No bundle covers this address.", request), miss)
        case .nobody where NavigationRequest.isForServiceWorker(request),
            .vacantHost where NavigationRequest.isForServiceWorker(request):
            // Without clearing: it would end the worker before it can load its pages anew, and those are cleared then.
            return .answered(retiringWorker(request), AnswerSource(.server))
        case .nobody: return .answered(notFound("No bundle covers this address.", request), miss)
        case .vacantHost:
            let answer = notFound(
                "There is no bundle of this name; “bundlectl list” shows those that there are.",
                request
            )
            return .answered(clearing(answer, for: request), miss)
        case .unshared(let name):
            let text =
                "\(name) doesn't answer on this host, where all bundles would be one origin for browsers; serve --host \(name)=HOST "
                + "makes a host its own, --mount \(name)=/PATH gives it a path here, and --shared-origin opens all bundles here."
            return .answered(notFound(text, request), miss)
        }
    }

    /// Takes from browsers what a bundle that was removed has left with them (W3C Clear Site Data).
    ///
    /// Not when a page of another site only names the address: cookies are for all ports of a host, so it could have those of
    /// another server thrown away.
    private static func clearing(_ answer: HTTPAnswer, for request: HTTPRequest) -> HTTPAnswer {
        guard NavigationRequest.isFromSameSite(request) || NavigationRequest.isTopLevel(request) else { return answer }
        var answer = answer
        answer.head.headerFields[.clearSiteData] = #""cache", "cookies", "storage""#
        return answer
    }

    /// A service worker that removes itself, in place of one that a bundle left on a host that isn't its own: a worker answers
    /// without asking the server, and only gives way to a newer script (W3C Service Workers, “Update”); to 404 it doesn't.
    public static func retiringWorker(_ request: HTTPRequest) -> HTTPAnswer {
        let script = AnswerBody(
            """
            // No bundle has a service worker here.
            self.addEventListener('install', () => self.skipWaiting());
            self.addEventListener('activate', event => event.waitUntil((async () => {
                await self.registration.unregister();
                for (const client of await self.clients.matchAll({ type: 'window' })) await client.navigate(client.url);
            })()));

            """
        )
        let fields: HTTPFields = [
            .contentType: MediaType.javaScript.string, .contentLength: String(script.byteCount),
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff", .cacheStatus: CacheStatus.isolated.fieldValue,
        ]
        let answer = HTTPAnswer(head: HTTPResponse(status: .ok, headerFields: fields), body: script)
        return request.method == .head ? answer.withoutBody : answer
    }
}

extension CacheStatus {
    fileprivate static let isolated = CacheStatus(nil, detail: "isolation")
}
