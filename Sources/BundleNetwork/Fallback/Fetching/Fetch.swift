import BundleServing
import BundleStore
import HTTPTypes

/// What is to be fetched from an origin. A value type; safe to share between threads.
struct Fetch: Sendable {
    /// The request for the origin, without preconditions; a GET, or a HEAD for which nothing is stored.
    var request: HTTPRequest
    /// What it is fetched for.
    let resource: FetchedResource
    /// What the cache has, to be validated.
    var stored: CachedVariant?
    /// What the cache has parts of, to be completed.
    var completion: Completion?
    /// Whether the cache has responses that other requests select, of which the origin may confirm one.
    var hasOtherVariants = false
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

    /// The URL.
    var url: String { resource.url }
    /// The key that the response is stored under.
    var key: String { resource.key }
    /// The release under which it is stored.
    var release: Release { resource.release }
}
