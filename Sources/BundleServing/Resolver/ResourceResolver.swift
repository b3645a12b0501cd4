import BundleStore

/// Maps URLs to bundled files. A look-up in memory: no lock, no waiting, nothing taken from the heap for a hit. Only the
/// first response with a file reads it, to compare it with its digest.
///
/// A value made from one ``BundleStore/StoreSnapshot``; make another when the store has changed. Safe to share between
/// threads.
///
///     let store = try BundleStore(at: path)
///     let resolver = ResourceResolver(store.snapshot)
///     if let resource = resolver.resolve("https://m.example.com/shop/app.js") {
///         resource.contents.withUnsafeBytes { bytes in … }
///     }
public struct ResourceResolver: Sendable {
    private let routes: RouteTable
    /// The one among the bundles' that compares the most bytes.
    private let slowestFallback: RouteFallback?

    /// - Parameters:
    ///   - snapshot: The bundles to answer from.
    ///   - addresses: Where bundles answer in addition to their origins.
    public init(_ snapshot: StoreSnapshot, addresses: BundleAddresses = BundleAddresses()) {
        routes = RouteTable(snapshot, addresses: addresses)
        slowestFallback = snapshot.sortedBundles.compactMap { $0.answering?.manifest.fallback }
            .max { $0.comparedByteCount < $1.comparedByteCount }
    }

    /// The file that answers an absolute URL, or nil. Query and fragment don't count; a folder gives its `index.html`, and
    /// without its slash nothing (``match(_:isNavigation:)`` tells the redirect).
    public func resolve(_ url: String) -> Resource? {
        func resolved(_ url: UnsafeBufferPointer<UInt8>) -> Resource? {
            guard let url = URLBytes(UnsafeRawBufferPointer(url)) else { return nil }
            return resolve(scheme: url.scheme, authority: url.authority, path: url.path, isNavigation: false)
        }
        // A string that isn't stored as UTF-8, as one from Objective-C, has to be copied.
        if let resource = url.utf8.withContiguousStorageIfAvailable({ resolved($0) }) { return resource }
        var copy = url
        return copy.withUTF8 { resolved($0) }
    }

    /// The file that answers a request whose parts are bytes, or nil when there is none: then ``match(_:isNavigation:)``
    /// says whether a bundle covers it at all, and with what.
    ///
    /// - Parameters:
    ///   - scheme: The scheme, or nil when the request doesn't say, as in origin-form (RFC 9112 §3.2.1).
    ///   - authority: Host and port as they were sent, or nil when the request names none.
    ///   - path: The path as it was sent, percent-encoded, without query and fragment. Empty stands for `/`.
    ///   - isNavigation: As ``match(_:isNavigation:)`` has it.
    public func resolve(
        scheme: OriginURL.Scheme?,
        authority: UnsafeRawBufferPointer?,
        path: UnsafeRawBufferPointer,
        isNavigation: Bool
    ) -> Resource? {
        guard let authority else { return routes.file(scheme, nil, path, isNavigation: isNavigation) }
        return AuthorityBytes.withNormalised(authority, scheme: scheme) { authority in
            routes.file(scheme, authority, path, isNavigation: isNavigation)
        }
    }

    /// Whether an active release has an origin on `host`, whatever the port: in lower case, an IPv6 address in its brackets.
    public func isMapped(host: String) -> Bool { routes.publishers[host] != nil }

    /// Why ``match(_:isNavigation:for:)`` returned nil.
    public func absence(of target: RequestTarget) -> Absence { routes.absence(of: target) }

    /// Whether ``match(_:isNavigation:for:)`` takes microseconds. False for a navigation to a long path where a bundle has many
    /// routes: comparing them takes milliseconds, for which an event loop doesn't wait.
    public func matchesQuickly(_ target: RequestTarget, isNavigation: Bool) -> Bool {
        guard isNavigation, let slowestFallback else { return true }
        return slowestFallback.coversQuickly(pathOf: target.path.utf8.count)
    }

    /// What the covering bundle says to a request, or nil when no bundle covers it.
    ///
    /// A bundle's own host answers for that bundle only; elsewhere a mapped origin precedes a mount, except on the endpoint's own
    /// hosts; the longest prefix wins, by whole components.
    ///
    /// - Parameters:
    ///   - isNavigation: Whether a page is being opened: client-side routes answer then, and earlier releases, which only
    ///     serve the pages still open on them, don't.
    ///   - pages: Of which releases the pages are that ask; their own release answers first.
    public func match(
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
