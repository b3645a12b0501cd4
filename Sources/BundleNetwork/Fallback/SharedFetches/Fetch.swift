import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// What is to be fetched from an origin. A value type; safe to share between threads.
struct Fetch: Sendable {
    /// What the cache has of a response.
    indirect enum Known: Sendable {
        case nothing
        /// A response, to be validated.
        case whole(CachedVariant)
        /// Parts of one, to be completed.
        case parts(Completion)
        /// Responses that other requests select, of which the origin may confirm one.
        case otherVariants
    }

    /// The request for the origin, without preconditions; a GET, or a HEAD for which nothing is stored.
    var request: HTTPRequest
    /// What it is fetched for.
    let resource: FetchedResource
    /// What the cache has.
    var known = Known.nothing
    /// Called with the origin's interim responses.
    var onInterim: (@Sendable (HTTPResponse) -> Void)?
    /// Where it runs best; nil for anywhere.
    var executor: (any TaskExecutor)?
    /// Where to connect in place of the origin's host.
    var connectTo: ConnectTarget?
    /// Whether the response may be stored, and shared by other requests.
    var mayStore = true
    /// The copies that are kept for the time without a network; nil for none.
    var offlineCopies: OfflineCopies?

    /// The same for a client that gets the origin's interim responses.
    func from(_ client: ClientExchange) -> Fetch {
        var fetch = self
        (fetch.onInterim, fetch.executor) = (client.sendInterim, client.executor)
        return fetch
    }

    /// Requests with the same key share one fetch. One that began under another version isn't used for this one.
    var sharingKey: String {
        guard let range = request.headerFields[.range] else { return resource.name }
        return "\(resource.name) \(range) \(request.headerFields[.ifRange] ?? "")"
    }

    /// The stored response; nil when there is none, or only parts of one.
    var stored: CachedVariant? { if case .whole(let variant) = known { variant } else { nil } }
    /// The URL.
    var url: String { resource.url }
    /// The key that the response is stored under.
    var key: String { resource.key }
    /// The release under which it is stored.
    var release: Release { resource.release }
}

/// What a fetch is for, under the names that the cache, limits, the breaker and shared fetches use. One object for all
/// copies of a ``Fetch``. Immutable; safe to share between threads.
final class FetchedResource: Sendable {
    /// The URL.
    let url: String
    /// The key that the response is stored under.
    let key: String
    /// The release under which it is stored.
    let release: Release
    /// The origin, which limits and the breaker count by.
    let origin: String
    /// Distinguishes what is fetched under different versions, and for different addresses.
    let name: String

    /// - Parameter address: The client's address, which the origin is told; nil when it isn't.
    init(url: String, key: String, release: Release, origin: String, address: ForwardedAddress? = nil) {
        self.url = url
        self.key = key
        self.release = release
        self.origin = origin
        name = "\(release.name)@\(release.version) \(key)" + (address.map { " \($0)" } ?? "")
    }
}

/// One request to an origin and the head of its response, with the times that RFC 9111 §4.2.3 uses.
struct OriginExchange: Sendable {
    let url: String
    let request: HTTPRequest
    let requestTime: Date
    let response: HTTPResponse
    let responseTime: Date
    /// By what the users of responses are told apart without a network; nil without a rule that sends them then.
    var copies: OfflineCopies?
    /// Whether the response is kept as a copy for the time without a network.
    var isOfflineCopy = false

    /// Whether the response may serve another request for the same URL: the fields that its Vary names have the same
    /// values (RFC 9111 §4.1).
    func serves(_ other: HTTPRequest) -> Bool {
        let selector = VariantSelector(response.headerFields)
        guard let selection = selector.key(of: request.headerFields) else { return false }
        return selector.key(of: other.headerFields) == selection
    }

    /// The same if its part were the whole, for the rules of storing, which are the same for both (RFC 9111 §3.3).
    var asWhole: OriginExchange {
        guard response.status == .partialContent else { return self }
        var whole = response
        whole.status = .ok
        return responding(to: request, with: whole)
    }

    /// The same with another request and response.
    func responding(to request: HTTPRequest, with response: HTTPResponse) -> OriginExchange {
        OriginExchange(
            url: url,
            request: request,
            requestTime: requestTime,
            response: response,
            responseTime: responseTime,
            copies: copies,
            isOfflineCopy: isOfflineCopy
        )
    }

    /// The user whose response it is; nil when it is for all, or no rule tells users apart.
    var user: Digest? { copies?.user(of: request.headerFields) }

    /// Whether the response is whole, or a part that says which (RFC 9111 §3.3).
    var isWholeOrPart: Bool { response.status != .partialContent || response.receivedPart != nil }
}
