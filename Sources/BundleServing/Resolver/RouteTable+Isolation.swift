import BundleStore

extension RouteTable {
    /// Whether other bundles may have pages on the host, which a browser would treat as the same origin.
    func isShared(_ target: Target, for request: RequestTarget) -> Bool {
        // A URL with a scheme belongs to its publisher.
        guard request.scheme == nil else { return false }
        switch target.place {
        case .host, .unbundled: return false
        case .name: return true
        case .origin, .mount:
            return addresses.sharesOrigin || isForeign(target, to: request.host)
                || hasOtherBundles(to: target, on: request.host)
        }
    }

    /// Whether no other bundle has anything on the host.
    func isAlone(_ target: Target, for request: RequestTarget) -> Bool {
        if isShared(target, for: request) { return false }
        if case .host = target.place { return true }
        guard let host = request.host, let claims else { return false }
        return publishers[host, default: []].isSubset(of: [target.active.name]) && claims[host] ?? [[]] == [[]]
    }

    /// Whether a browser may open pages there. Otherwise it is for tools, which have no origins; this applies to names, and
    /// to origins that are claimed of the machine itself, or of a host where the endpoint has another bundle mounted.
    func isForPages(_ target: Target, for request: RequestTarget) -> Bool {
        guard request.scheme == nil, let host = request.host, !addresses.sharesOrigin else { return true }
        if case .name = target.place { return false }
        return !isForeign(target, to: host)
    }

    /// Why no bundle covers a request.
    func absence(of request: RequestTarget) -> Absence {
        guard request.scheme == nil, let held else { return .unavailable }
        guard let host = request.host else { return .nobody }
        if addresses.isOwn(host) {
            guard let name = addresses.bundle(at: host) else { return .unavailable }
            // What a proxy has beside a public URL's path is nobody's to clear.
            if addresses.publicURL(of: request)?.components.isEmpty == false, !held.contains(name) { return .nobody }
            return held.contains(name) ? .unavailable : .vacantHost
        }
        let components = RequestPath(request.path)?.components ?? []
        if addresses.mounts.contains(where: { held.contains($0.name) && components.starts(with: $0.components) }) {
            return .unavailable
        }
        let isLoopback = LocalHost.isLoopback(host)
        guard let name = components.first.flatMap(BundleName.init), held.contains(name) else {
            return isLoopback || !mayBePublishers(host, components) ? .nobody : .unavailable
        }
        return isLoopback ? .unavailable : .unshared(name)
    }

    /// Whether a path belongs to a bundle that is mapped to the host, even by a release that isn't served.
    private func mayBePublishers(_ host: String, _ components: [String]) -> Bool {
        guard publishers[host] != nil else { return false }
        guard let claims else { return true }
        return claims[host]?.contains { components.starts(with: $0) } ?? false
    }

    /// Whether the bundle claims an origin of this machine, or of a host where another bundle is mounted.
    private func isForeign(_ target: Target, to host: String?) -> Bool {
        guard case .origin = target.place, let host else { return false }
        return LocalHost.isLoopback(host) || addresses.endpointHosts.contains(host) && hasMounts(besides: target)
    }

    private func hasOtherBundles(to target: Target, on host: String?) -> Bool {
        if hasMounts(besides: target) { return true }
        // Where the endpoint's own hosts have mounts, the origins of other bundles have no pages.
        guard case .mount = target.place, let host, !LocalHost.isLoopback(host), !addresses.endpointHosts.contains(host)
        else { return false }
        return publishers[host]?.contains { $0 != target.active.name } ?? false
    }

    private func hasMounts(besides target: Target) -> Bool {
        addresses.mounts.contains { $0.name != target.active.name }
    }
}
