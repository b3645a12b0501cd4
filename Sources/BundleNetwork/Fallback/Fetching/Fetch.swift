import BundleServing
import BundleStore
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

    /// The same for a client that gets the origin's interim responses.
    func from(_ client: ClientExchange) -> Fetch {
        var fetch = self
        (fetch.onInterim, fetch.executor) = (client.sendInterim, client.executor)
        return fetch
    }

    /// Requests with the same key share one fetch. One that began under another version isn't used for this one.
    var flightKey: String {
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
