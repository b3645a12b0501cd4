import BundleStore
import Foundation

/// Maps URLs to bundled files. A look-up in memory: no lock, no waiting, no heap allocation for a hit. Only the first
/// response with a file reads it, to compare it with its digest.
///
/// A value made from one ``/BundleStore/StoreSnapshot``; make another when the store has changed. Safe to share between
/// threads.
///
///     let store = try BundleStore(at: path)
///     let resolver = ResourceResolver(store.snapshot)
///     if let resource = resolver.resolve("https://m.example.com/shop/app.js") {
///         resource.contents.withUnsafeBytes { bytes in … }
///     }
public struct ResourceResolver: Sendable {
    let routes: RouteTable
    /// The one of all bundles' fallbacks that compares the most bytes.
    private let slowestFallback: RouteFallback?

    /// - Parameters:
    ///   - snapshot: The bundles to serve.
    ///   - addresses: Where bundles are served in addition to their origins.
    public init(_ snapshot: StoreSnapshot, addresses: BundleAddresses = BundleAddresses()) {
        self.init(snapshot, addresses: addresses, openSince: nil)
    }

    /// As above.
    ///
    /// - Parameter openSince: Pages are open on releases that were left after this; nil for all that are retained.
    init(_ snapshot: StoreSnapshot, addresses: BundleAddresses, openSince: Date?) {
        routes = RouteTable(snapshot, addresses: addresses, openSince: openSince)
        slowestFallback = snapshot.sortedBundles.compactMap { $0.serving?.manifest.fallback }
            .max { $0.comparedByteCount < $1.comparedByteCount }
    }

    /// The file for an absolute URL, or nil. Query and fragment are ignored; a folder gives its `index.html`, and
    /// nothing without its slash: a responder redirects that.
    public func resolve(_ url: String) -> Resource? {
        // A string that isn't stored as UTF-8, such as one from Objective-C, has to be copied.
        if let resource = url.utf8.withContiguousStorageIfAvailable({ resolve(UnsafeRawBufferPointer($0)) }) {
            return resource
        }
        var copy = url
        return copy.withUTF8 { resolve(UnsafeRawBufferPointer($0)) }
    }

    /// The file for an absolute URL in UTF-8, as above.
    package func resolve(_ url: UnsafeRawBufferPointer) -> Resource? {
        guard let url = URLBytes(url) else { return nil }
        return resolve(scheme: url.scheme, authority: url.authority, path: url.path, isNavigation: false)
    }

    /// The file for a request whose parts are bytes, or nil when there is none.
    ///
    /// - Parameters:
    ///   - scheme: The scheme; nil when the request has none, as in origin-form (RFC 9112 §3.2.1).
    ///   - authority: Host and port as they were sent; nil when the request names none.
    ///   - path: The path as it was sent, percent-encoded, without query and fragment. Empty means `/`.
    ///   - isNavigation: Whether a page is being opened: client-side routes are resolved then.
    public func resolve(
        scheme: OriginURL.Scheme?,
        authority: UnsafeRawBufferPointer?,
        path: UnsafeRawBufferPointer,
        isNavigation: Bool
    ) -> Resource? {
        guard let authority else { return routes.file(scheme, nil, path, isNavigation: isNavigation) }
        return withUnsafeTemporaryAllocation(byteCount: authority.count, alignment: 1) { memory in
            let authority = AuthorityBytes.normalise(authority, scheme: scheme, into: memory)
            return routes.file(scheme, authority, path, isNavigation: isNavigation)
        }
    }

    /// Whether an active release has an origin on `host`, with any port. The host is in lower case, an IPv6 address has
    /// its brackets.
    package func isMapped(host: String) -> Bool { routes.publishers[host] != nil }

    /// Whether a host is one of the endpoint's or belongs to a bundle, besides the hosts of mapped origins.
    package func isOwn(_ host: String) -> Bool {
        let addresses = routes.addresses
        return LocalHost.isLoopback(host) || addresses.isOwn(host) || addresses.endpointHosts.contains(host)
    }

    /// Why ``match(_:isNavigation:for:)`` returned nil.
    package func absence(of target: RequestTarget) -> Absence { routes.absence(of: target) }

    /// Whether ``match(_:isNavigation:for:)`` takes microseconds. False for a navigation to a long path where a bundle
    /// has many routes: comparing them takes milliseconds, for which an event loop must not wait.
    package func matchesQuickly(_ target: RequestTarget, isNavigation: Bool) -> Bool {
        guard isNavigation, let slowestFallback else { return true }
        return slowestFallback.coversQuickly(pathOf: target.path.utf8.count)
    }

    /// What the covering bundle has for a request, or nil when no bundle covers it.
    ///
    /// A bundle's own host serves only that bundle; elsewhere a mapped origin takes precedence over a mount, except on
    /// the endpoint's own hosts; the longest prefix wins, by whole components.
    ///
    /// - Parameters:
    ///   - target: The request's target.
    ///   - isNavigation: Whether a page is being opened: client-side routes are served then, and earlier releases,
    ///     which only serve the pages still open on them, aren't.
    ///   - pages: The releases of the requesting pages; a page's own release takes precedence.
    package func match(
        _ target: RequestTarget,
        isNavigation: Bool,
        for pages: VersionCookies = .none
    ) -> ResourceMatch? {
        target.withBytes { scheme, authority, path in
            routes.look(scheme, authority, path, isNavigation: isNavigation, for: pages) { covering, finding in
                ResourceMatch(target: target, covering: covering, in: routes, finding: finding)
            }
        }
    }
}

extension ResourceResolver {
    /// Whether pages of a bundle may be on a host: its own, one of its origins', or one where all bundles are served.
    ///
    /// - Parameter authority: Host and port as they were sent; nil when the request names none.
    package func hasPages(of name: BundleName, at authority: String?) -> Bool {
        guard let root = RequestTarget("/", host: authority) else { return false }
        let match = match(root, isNavigation: true)
        if case .host? = match?.route { return match?.release.name == name }
        guard let host = root.host else { return true }
        guard !LocalHost.isName(host) else { return false }
        let addresses = routes.addresses
        if addresses.hasRoot, addresses.mounts.contains(where: { $0.name == name }) { return true }
        return isOwn(host) ? !addresses.hasRoot : routes.publishers[host]?.contains(name) == true
    }
}

extension ResourceMatch {
    /// Below this path pages ask about their own bundles, on each host on which those have pages.
    package static let pageCallPrefix = "/.bundles/"

    /// The path of the calls of the bundle's pages that a cookie for ``rootPath`` doesn't reach (RFC 6265 §5.1.4). Nil when
    /// it does, and where a page of another bundle, which is another publisher's, could make the calls too.
    package var pageCallPath: String? {
        rootPath == "/" || sharesHost ? nil : basePath.dropLast() + Self.pageCallPrefix + release.name.string
    }
}

/// Why no bundle covers a request. A value type; safe to share between threads.
package enum Absence: Sendable, Hashable {
    /// The address concerns no bundle.
    case nobody
    /// The address belongs to a bundle or a publisher, but nothing is served there: no version is active, it is
    /// damaged, or the path is invalid.
    case unavailable
    /// The host is reserved for a bundle that the store doesn't hold, or no longer holds.
    case vacantHost
    /// The path is a bundle's name, on a host where bundles aren't served by name.
    case unshared(BundleName)
}
