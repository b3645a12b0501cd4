import BundleNetwork
import BundleServing
import BundleStore
import BundleUsage
import Foundation
import HTTPTypes
import Synchronization

/// What the bundles, the cache and the network respond.
extension BundleClient {
    /// The bundled file for an absolute URL, on the calling thread: nil when no active release has it.
    ///
    /// Takes no lock that is held for long, allocates nothing for a hit, and reads nothing but the mapped store; the first
    /// use of a file compares it with its digest.
    ///
    /// - Parameter url: An absolute URL. Query and fragment are ignored; a folder gives its `index.html`.
    public func resolve(_ url: String) -> Resource? {
        guard !lifetime.hasEnded else { return nil }
        refreshIfDue()
        return resolver.current.resolve(url)
    }

    /// The bundled file for a URL of Foundation, as above.
    public func resolve(_ url: URL) -> Resource? { resolve(url.absoluteString) }

    /// The bundled file for an absolute URL in UTF-8, as above.
    package func resolve(_ url: UnsafeRawBufferPointer) -> Resource? {
        guard !lifetime.hasEnded else { return nil }
        refreshIfDue()
        return resolver.current.resolve(url)
    }

    /// Whether a bundle covers a URL: then ``startResponse(to:)`` and ``load(_:isPage:)-(String,_)`` respond with a file, from the cache or from
    /// the network. For the rest the app asks the network itself.
    public func covers(_ url: String) -> Bool { RequestTarget(url: url).map(covers) ?? false }

    /// Whether a bundle covers a URL of Foundation, as above.
    public func covers(_ url: URL) -> Bool { covers(url.absoluteString) }

    /// Whether a bundle covers the target of a request, as above.
    package func covers(_ target: RequestTarget) -> Bool {
        guard !lifetime.hasEnded else { return false }
        refreshIfDue()
        return responder.covers(target)
    }

    /// A response's head and its whole body, for example of ``/BundleNetwork/LastResort``.
    public typealias Response = HTTPCore.Response
    /// A bundled file, found by ``resolve(_:)-(String)``.
    public typealias Resource = BundleServing.Resource

    /// Responds to a request, on the calling thread if a bundled file or a response in memory does, which takes
    /// microseconds.
    ///
    /// - Parameter request: With an absolute URL in `scheme`, `authority` and `path`.
    /// - Returns: The response; or, when the cache on the disk or the network has to be asked, a closure that does that.
    ///   After ``close()`` the closure's response has status 503.
    public func startResponse(to request: HTTPRequest) -> ResponseStart {
        guard !lifetime.hasEnded else { return .complete(Self.closed, ResponseSource(.server)) }
        refreshIfDue()
        let beginning = responder.begin(request)
        guard case .waiting(let rest) = beginning else {
            if case .complete(let response, let source, _) = beginning {
                reuseLedger.note(source, request)
                noteLoad(source, isPage: Self.showsPage(response, to: request))
                _ = responder.counting(.complete(response, source))
            }
            return beginning
        }
        return .waiting { [self] client in
            let result = try? await lifetime.run(on: client.executor) { try await Self.uncancelled(rest(client)) }
            guard let response = result else {
                return .complete(lifetime.hasEnded ? Self.closed : Self.cancelled, ResponseSource(.server))
            }
            reuseLedger.note(response.source, request)
            return ending(responder.counting(response))
        }
    }

    /// Responds to a request from the layers in order.
    ///
    /// - Parameters:
    ///   - request: As in ``startResponse(to:)``.
    ///   - client: The request's content, and the way for interim responses.
    /// - Returns: A response in any case; see ``load(_:isPage:)-(String,_)``. After ``close()`` its status is 503.
    public func respond(to request: HTTPRequest, from client: ClientExchange = .none) async -> ServedResponse {
        await startResponse(to: request).response(to: client)
    }

    /// Loads a URL from the layers in order: the bundles, the cache while it is fresh, the network, the cache.
    ///
    /// What an origin responds has its status. Redirects aren't followed, those of origins neither: a folder of a bundle without its
    /// last slash is 301, and its field `Location` has the URL with the slash. 404 is a URL that no layer has and that no origin can be
    /// asked for, 504 one for which no origin responds, 403 one that a network rule blocks, and 500 a damaged file.
    ///
    /// Without a network, a page that isn't stored is the bundle's offline page, with status 504. As for every status but 200 to 299,
    /// ``/HTTPCore/ServedResponse/bytes(atMost:ofAnyStatus:)`` throws for it unless `ofAnyStatus` is true: an app that shows what it gets,
    /// as a browser does, passes that.
    ///
    /// - Parameters:
    ///   - url: An `http` or `https` URL.
    ///   - isPage: Whether a page is being opened: a client-side route or the offline page may stand in for it then.
    /// - Returns: A response in any case.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for anything but an http or https URL, with code
    ///   `storeUnavailable` after ``close()``; `CancellationError` when the task is cancelled.
    public func load(_ url: String, isPage: Bool = false) async throws -> ServedResponse {
        let response = try await lifetime.run { [self] in
            let response = try await Self.uncancelled(responder.load(url, isPage: isPage))
            noteActivations()
            reuseLedger.note(response.source, url)
            noteLoad(response.source, isPage: isPage)
            return response
        }
        return ending(response)
    }

    /// Loads a URL of Foundation, as above.
    public func load(_ url: URL, isPage: Bool = false) async throws -> ServedResponse {
        try await load(url.absoluteString, isPage: isPage)
    }

    /// Fetches what the manifests name in `precache`, as ``/BundleNetwork/LayeredResponder/precache(_:within:isForced:)``
    /// does.
    @discardableResult
    public func precache(
        _ names: Set<BundleName>? = nil,
        within limit: Duration = .seconds(300),
        isForced: Bool = false
    ) async throws -> [PrecacheReport] {
        try await lifetime.run(locksStore: true) { [self] in
            await responder.precache(names, within: limit, isForced: isForced)
        }
    }

    /// The stored responses from the network, the latest first; see ``/BundleNetwork/StoredEntry``.
    ///
    /// - Parameter name: The bundle that they were fetched under; nil for all.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be read, and after ``close()``.
    public func storedResponses(of name: BundleName? = nil) async throws -> [StoredEntry] {
        try await lifetime.run { [self] in
            try await withTaskExecutorPreference(BlockingExecutor()) { try responder.storedEntries(of: name) }
        }
    }

    /// What this client has seen of the origins, by name; see ``/BundleNetwork/LayeredResponder/originStates``.
    public var originStates: [OriginState] { responder.originStates }

    /// Whether a response is a page that the user is about to see: not a picture in a window of its own, and nothing that is
    /// fetched ahead. A page that the web view has already is confirmed without its type (RFC 9110 §15.4.5).
    private static func showsPage(_ response: Response, to request: HTTPRequest) -> Bool {
        guard NavigationRequest.isTopLevel(request), !NavigationRequest.isSpeculative(request) else { return false }
        return response.head.status == .notModified
            || response.head.headerFields[.contentType].flatMap(MediaType.init)?.isPage == true
    }

    /// The time of a release that has yet to be confirmed begins with its first page. If that can't be recorded, the next
    /// page is the first.
    private func noteLoad(_ source: ResponseSource, isPage: Bool) {
        guard isPage, source.layer == .active, let release = source.release,
            let bundle = store.snapshot.bundles[release.name], store.awaitsLoad(of: bundle)
        else { return }
        Task(executorPreference: BlockingExecutor()) { [store] in
            try? store.noteLoad(of: release.name, release.version)
        }
    }

    /// A response, unless it is one that takes the place of the origin's because nobody waits for that any more.
    private static func uncancelled(_ response: ServedResponse) throws -> ServedResponse {
        try Task.checkCancellation()
        return response
    }

    /// The same with a body that can't be read any more once the client is closed.
    private func ending(_ response: ServedResponse) -> ServedResponse {
        guard case .streaming(let head, let body, let source) = response else { return response }
        return .streaming(head, lifetime.limiting(body, keeping: self), source)
    }

    /// Nobody waits for it.
    private static let cancelled = Response.plain(.serviceUnavailable, "The request has been cancelled.")
    private static let closed = Response.plain(.serviceUnavailable, ClientLifetime.explanation)
}

extension ServedResponse {
    /// The whole body as `Data`, as ``/HTTPCore/ServedResponse/bytes(atMost:ofAnyStatus:)`` reads it.
    ///
    /// - Parameters:
    ///   - limit: The maximum length in bytes, 0 or more. Default: 64 MiB.
    ///   - anyStatus: Whether the body of every response is wanted. Default: false, only that of a status from 200 to 299.
    public func data(atMost limit: Int = 64 << 20, ofAnyStatus anyStatus: Bool = false) async throws -> Data {
        Data(try await bytes(atMost: limit, ofAnyStatus: anyStatus))
    }
}

/// Counts how often stored responses are used, by URL. Thread-safe.
final class ReuseLedger: Sendable {
    private let items = Mutex(FrequentItems())

    /// The most frequent first.
    var counts: [(url: String, count: Int64)] {
        items.withLock { $0.counts }.map { (url: $0.text, count: $0.count) }
            .sorted { ($1.count, $0.url) < ($0.count, $1.url) }
    }

    func note(_ source: ResponseSource, _ request: HTTPRequest) {
        note(source, "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
    }

    func note(_ source: ResponseSource, _ url: @autoclosure () -> String) {
        guard [.cache, .stale].contains(source.layer) else { return }
        let url = url()
        items.withLock { $0.add(url) }
    }
}
