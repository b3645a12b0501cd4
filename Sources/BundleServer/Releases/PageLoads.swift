import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// Notices the first request of a running page of each release that has yet to be confirmed: its time begins then, and the
/// server's start counts. Thread-safe.
///
/// A page alone begins nothing: a page of another bundle can have it prefetched, framed or opened, and nobody could confirm it
/// there. What counts is a request that a document of the release makes: from its own origin, with its version cookie, which
/// browsers withhold from frames of other sites (RFC 6265bis §5.2).
final class PageLoads: Sendable {
    /// The releases whose first page is awaited.
    private struct Awaited {
        let generation: Int64
        var versions: [BundleName: String]
    }

    private let store: BundleStore
    private let resolver: LiveResolver
    /// Whether pages have version cookies. Without them no page can confirm its release; any of its bundle's pages counts.
    private let hasVersionCookies: Bool
    private let awaited: Mutex<Awaited>

    init(_ store: BundleStore, _ resolver: LiveResolver, hasVersionCookies: Bool) {
        (self.store, self.resolver, self.hasVersionCookies) = (store, resolver, hasVersionCookies)
        awaited = Mutex(Self.awaited(in: store))
    }

    /// What a request may be to the releases whose first page is awaited, as far as its deciding fields tell. Both kinds are
    /// responded to one by one: none may be answered unseen.
    enum Role: Equatable {
        case unrelated
        /// A running page of the bundle's awaited release may be making it.
        case part(of: BundleName)
        /// Its response may give the browser the version cookie of an awaited release in place of an earlier one's, a page of
        /// which may be open: that page's requests would look like those of a page of the awaited release. So such a page isn't
        /// fetched ahead of the user.
        case cookieReplacement
    }

    func role(of request: HTTPRequest) -> Role {
        let versions = versions
        guard !versions.isEmpty else { return .unrelated }
        let cookies = VersionCookies(request.headerFields[.cookie])
        if PageOrigin.mayBePart(request) {
            return awaitedPage(making: request, cookies, versions).map(Role.part) ?? .unrelated
        }
        guard hasVersionCookies, NavigationRequest.isTopLevel(request) else { return .unrelated }
        let isReplacement = versions.contains { name, version in
            cookies.version(of: name).map { $0 != version } == true && covers(name, request)
        }
        return isReplacement ? .cookieReplacement : .unrelated
    }

    private func awaitedPage(
        making request: HTTPRequest,
        _ cookies: VersionCookies,
        _ versions: [BundleName: String]
    ) -> BundleName? {
        let call = PageCall(request.path)
        return versions.first { name, version in
            if let call, call.name != name || call.page.map({ $0 != version }) ?? false { return false }
            // Without cookies a call tells its bundle, and any other request only by the file that it gets.
            guard hasVersionCookies || call != nil else { return covers(name, request) }
            guard !hasVersionCookies || cookies.version(of: name) == version else { return false }
            return resolver.current.hasPages(of: name, at: request.authority)
        }?.key
    }

    private var versions: [BundleName: String] {
        awaited.withLock { awaited in
            // Behind the same refresh as the response.
            if awaited.generation != store.snapshot.generation { awaited = Self.awaited(in: store) }
            return awaited.versions
        }
    }

    /// Takes a request; returns at once.
    func note(_ request: HTTPRequest, of name: BundleName) {
        guard PageOrigin.isPart(request),
            let version = awaited.withLock({ $0.versions.removeValue(forKey: name) }).flatMap(BundleVersion.init)
        else { return }
        // An event loop mustn't wait for the disk.
        Task(executorPreference: BlockingExecutor()) { [self] in
            do {
                try store.noteLoad(of: name, version)
            } catch {
                // The next request is the first: the store could not be written.
                awaited.withLock { $0 = Self.awaited(in: store) }
            }
        }
    }

    private func covers(_ name: BundleName, _ request: HTTPRequest) -> Bool {
        let resolver = resolver.current
        guard let target = request.path.flatMap({ RequestTarget($0, host: request.authority) }),
            resolver.matchesQuickly(target, isNavigation: false)
        else { return false }
        return resolver.match(target, isNavigation: false)?.release.name == name
    }

    private static func awaited(in store: BundleStore) -> Awaited {
        let snapshot = store.snapshot
        return Awaited(
            generation: snapshot.generation,
            versions: snapshot.bundles.compactMapValues { bundle in
                store.awaitsLoad(of: bundle) ? bundle.activeVersion?.string : nil
            }
        )
    }
}
