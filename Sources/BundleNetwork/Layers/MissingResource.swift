import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// A request for what a bundle covers and lacks. One object, of which a waiting request needs no copies. Immutable; safe to
/// share between threads.
final class MissingResource: Sendable {
    private let forwarded: ForwardedRequest
    let match: ResourceMatch
    /// The client's address, which the origin is told; nil when it isn't.
    let address: ForwardedAddress?
    /// The bundle's file that can no longer be read; nil when it has none.
    let damage: DamagedFile?
    /// Takes the place of a response that isn't there; nil when nothing does.
    let offlinePage: Resource?

    init(
        _ forwarded: ForwardedRequest,
        _ match: ResourceMatch,
        at address: ForwardedAddress?,
        damage: DamagedFile? = nil,
        offlinePage: Resource? = nil
    ) {
        (self.forwarded, self.match, self.address) = (forwarded, match, address)
        (self.damage, self.offlinePage) = (damage, offlinePage)
    }

    var request: HTTPRequest { forwarded.request }
    /// Its URL on the network.
    var url: String { forwarded.url }
    /// The network rule that applies.
    var rule: RuleDecision? { forwarded.rule }

    /// The client's side, which gets an origin's interim responses as the bundle may forward them.
    func confined(_ client: ClientExchange) -> ClientExchange {
        ClientExchange(content: client.content, executor: client.executor, address: client.address) { [self] head in
            var head = head
            head.headerFields = head.headerFields.removingConnectionFields().confined(to: match, from: url)
            client.sendInterim(head)
        }
    }

    /// The response from what the cache and the network have: an offline page or 504 if they have nothing.
    func response(from result: FallbackResult) -> ServedResponse {
        let source = ResponseSource(.network, match.release)
        switch result {
        case .stored(let representation, let layer):
            let response = confined(Responder.respond(to: request, with: representation))
            return .complete(response, ResponseSource(layer, match.release))
        case .partial(let response, let layer):
            return .complete(confined(response), ResponseSource(layer, match.release))
        case .passing(let head, let body):
            var response = confined(Response(head: head))
            guard request.method != .head else { return .complete(response, source) }
            guard let content = body.arrived else {
                let body = body.changingTrailers { [match, url] in $0.confined(to: match, from: url) }
                return .streaming(response.head, body, source)
            }
            response.take(content)
            return .complete(response, source)
        case .switching(let head, let tunnel):
            return .switching(confined(Response(head: head)).head, tunnel, source)
        case .nothing(let cause):
            let response =
                damage.map { OwnResponses.damaged($0, cause, offlinePage, request) }
                ?? OwnResponses.unavailable(url, cause, offlinePage, request)
            var source = ResponseSource(.miss, match.release)
            if damage == nil, offlinePage == nil { source.failure = cause.failure }
            return .complete(response, source)
        }
    }

    private func confined(_ response: Response) -> Response { response.confined(to: match, from: url) }
}

extension Response {
    /// Takes the content, and states its length where the origin hasn't: what is complete isn't sent in chunks.
    fileprivate mutating func take(_ content: [UInt8]) {
        body = ResponseBody([ByteSlice(copying: content)])
        let hasLength = head.headerFields.contains(.contentLength)
        if !hasLength, ![.noContent, .notModified].contains(head.status) {
            head.headerFields[.contentLength] = String(content.count)
        }
    }

    /// An origin's response as the bundle may forward it.
    ///
    /// - Parameter url: The URL that the origin was asked for.
    func confined(to match: ResourceMatch, from url: String) -> Response {
        var response = self
        response.head.headerFields = response.head.headerFields.confined(to: match, from: url)
        return response.varying(with: match)
    }
}

extension HTTPFields {
    /// An origin's fields, confined to the bundle: without those that would affect more than it, and with cookies
    /// limited to the bundle's own paths. On a host where other bundles have pages too, cookies are dropped; on one that
    /// the bundle has for itself, what concerns the host concerns only the bundle. References into the bundle's origins
    /// lead to this server. An app that asks for the origin's own URLs gets what concerns the origin, too.
    ///
    /// - Parameter url: The URL that the origin was asked for.
    func confined(to match: ResourceMatch, from url: String) -> HTTPFields {
        guard !match.isUnbundled else { return self }
        lazy var scope = match.sharesHost ? nil : match.cookieScope
        let (ownsHost, isPublishers) = (match.ownsHost, match.isPublishers(url))
        var confined = HTTPFields()
        for field in self {
            switch field.name {
            case .location, .contentLocation, .refresh: confined.append(field.leading(to: match, from: url))
            case _ where isPublishers: confined.append(field)
            case let name where OriginWideField.isRefused(fromOrigin: name.canonicalName, ownsHost: ownsHost): continue
            case .setCookie: if let cookie = scope?.confined(field) { confined.append(cookie) }
            default: confined.append(field)
            }
        }
        return confined
    }
}

extension HTTPField {
    /// The same field with a reference that leads to this server, where the origin's leads into a mapped origin.
    fileprivate func leading(to match: ResourceMatch, from url: String) -> HTTPField {
        guard name == .refresh else {
            return HTTPField(name: name, value: match.ownReference(for: value, from: url))
        }
        // HTML standard, “shared declarative refresh steps”, in the form that servers write: `5; url=/next`.
        guard let key = value.range(of: "url=", options: .caseInsensitive) else { return self }
        let reference = match.ownReference(for: String(value[key.upperBound...]), from: url)
        return HTTPField(name: name, value: value[..<key.upperBound] + reference)
    }
}
