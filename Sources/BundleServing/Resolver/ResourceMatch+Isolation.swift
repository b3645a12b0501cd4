import BundleStore

/// The isolation of bundles that a browser would treat as one origin. Computed on each access.
extension ResourceMatch {
    /// Whether other bundles may have pages on the request's host. Then none has cookies or service workers there.
    package var sharesHost: Bool { routes.isShared(covering.target, for: target) }

    /// Whether the bundle has the request's host for itself: it is served from the host's root, and nothing else is
    /// served there, or would be by the origins of another bundle, nor by a proxy beside a public URL's path.
    package var ownsHost: Bool {
        covering.prefix.depth == 0 && isAtRoot && routes.isAlone(covering.target, for: target)
    }

    /// Whether a browser may open pages at this address; otherwise it is for tools, and pages open at ``ownAddress``.
    package var isForPages: Bool { routes.isForPages(covering.target, for: target) }

    /// Whether the bundle is served there by a mount, where another one may have been mounted before.
    package var isMounted: Bool { if case .mount = covering.target.place { true } else { false } }

    /// The cookie of a browser that has no data of an earlier publisher on the bundle's own host; nil where there was
    /// none, and where clearing the host would clear what a proxy has beside the bundle.
    package var publisherCookie: PublisherCookie? {
        // An app that names the whole URL keeps no data by host.
        target.scheme == nil && isAtRoot ? covering.target.publisherCookie : nil
    }

    /// Whether a response is the publisher's own, from a URL that was asked for at the origin: the client names the whole URL,
    /// as an app does, and no rule has led to another host. Then what it concerns besides the bundle is the publisher's
    /// too.
    package func isPublishers(_ url: String) -> Bool {
        guard target.scheme != nil, covering.target.mapping != nil, let asked = RequestTarget(url: url) else {
            return false
        }
        return asked.scheme == target.scheme && asked.authority == target.authority
    }

    /// Where the request was sent, as a reference for the client.
    package var address: String { reference(to: target.path + target.query) }

    /// The same resource on the bundle's own host on this machine, as a reference without scheme (RFC 3986 §4.2), with
    /// the request's port: `//shop.localhost:8080/app.js?v=1`. Nil when the bundle's name is too long for a host, when
    /// the request names a host that isn't the machine itself, as the browser is then on another machine, to which the
    /// address would refer, and below a public URL's path, out of which it would lead.
    package var ownAddress: String? {
        guard isAtRoot, target.host.map(LocalHost.isLoopback) ?? true, let host = LocalHost.name(of: release.name),
            let path = RequestPath(target.path)
        else { return nil }
        let folder = (covering.target.mapping?.folder?.components ?? []).map { PercentEncoding.encode(component: $0) }
        let components = folder + path.rawComponents.dropFirst(covering.prefix.depth).map(String.init)
        let slash = path.isFolder && !components.isEmpty ? "/" : ""
        return "//\(host)\(target.port)/\(components.joined(separator: "/"))\(slash)\(target.query)"
    }

    /// Where the cookies of the resource's origin belong, see ``CookieScope``; nil when it has no origin.
    package var cookieScope: CookieScope? {
        guard let mapping = originMapping else { return nil }
        let isMapped = covering.target.mapping != nil
        let folder = isMapped ? [] : mapping.folder?.components.map(String.init) ?? []
        return CookieScope(
            root: publicRootPath + CookieScope.path(of: folder),
            originRoot: "/" + CookieScope.path(of: mapping.origin.components),
            request: basePath + target.path.dropFirst(),
            isTold: originURL.flatMap(forwardedPrefix) != nil
        )
    }
}
