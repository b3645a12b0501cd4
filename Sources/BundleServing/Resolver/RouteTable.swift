import BundleStore
import Foundation

/// Which bundle is served where: the tables of a ``ResourceResolver``.
///
/// Immutable, and a class so that passing it costs one reference.
final class RouteTable: Sendable {
    /// A bundle, and why it is served at a place.
    final class Target: Sendable {
        /// How a bundle is assigned to a place.
        enum Place: Sendable {
            /// By a mapped origin.
            case origin(OriginMapping)
            /// By the bundle's own host.
            case host
            /// By a mount.
            case mount
            /// By its name, on a host where every bundle is served by name.
            case name
            /// By none: no bundle covers the URL.
            case unbundled
        }

        /// The release that is served.
        let active: Release
        /// Whether nothing of the bundle may be used: what is asked for comes from the network.
        let isWithdrawn: Bool
        let retained: [Release]
        /// The retained releases that pages may still be open on, and that may be used.
        let open: [Release]
        let place: Place
        /// The path of the folder that stands for the prefix; empty for the bundle's root.
        let folder: [UInt8]
        /// Present on the bundle's own host if it had an earlier publisher.
        let publisherCookie: PublisherCookie?

        /// - Parameter openSince: Pages are open on releases that were left after this; nil for all that are retained.
        init?(_ bundle: InstalledBundle?, at place: Place, openSince: Date?) {
            guard let bundle, let active = bundle.serving else { return nil }
            self.active = active
            isWithdrawn = bundle.isWithdrawn
            retained = bundle.retained.filter { $0 !== active }
            let usable = retained.filter { bundle.withdrawal(of: $0.version) == nil }
            open =
                openSince.map { since in usable.filter { (bundle.leavingDate(of: $0) ?? .distantFuture) > since } }
                ?? usable
            self.place = place
            publisherCookie = if case .host = place { bundle.publisherMark.map(PublisherCookie.init) } else { nil }
            folder =
                if case .origin(let mapping) = place { mapping.folder.map { Array($0.string.utf8) } ?? [] } else { [] }
        }

        private init(unbundled release: Release) {
            active = release
            isWithdrawn = false
            (retained, open, place, folder, publisherCookie) = ([], [], .unbundled, [], nil)
        }

        /// Stands for a bundle where none covers the URL.
        static let unbundled = Target(unbundled: .unbundled)

        /// Nil for anything but an origin.
        var mapping: OriginMapping? { if case .origin(let mapping) = place { mapping } else { nil } }
    }

    /// The target whose prefix covers a path.
    struct Covering {
        let target: Target
        /// The prefix's length in bytes and in components.
        let prefix: (byteCount: Int, depth: Int)
    }

    let addresses: BundleAddresses
    /// The length of the longest folder of a mapping in bytes.
    let longestFolder: Int
    /// The bundles that have an origin on each host, as ``/BundleModel/OriginURL/host`` has it.
    let publishers: [String: Set<BundleName>]
    /// The bundles that the store holds, including those that can't be served; nil when that isn't known.
    let held: Set<BundleName>?
    /// The prefixes of all releases' origins by host, including releases that aren't served; nil when damage may hide
    /// some.
    let claims: [String: Set<[String]>]?
    /// Nil stands for a place whose bundle the store doesn't hold, or of which no version is active.
    private let targets: [Target?]
    /// By host: hosts that belong to a bundle.
    private let hosts: PrefixTable
    private let origins: PrefixTable
    private let mounts: PrefixTable
    /// By host: the endpoint's own hosts.
    private let endpointHosts: PrefixTable
    /// Mounts and, without one at the root, the names of all bundles.
    private let shared: PrefixTable

    init(_ snapshot: StoreSnapshot, addresses: BundleAddresses, openSince: Date? = nil) {
        let bundles = snapshot.sortedBundles.filter { $0.serving != nil }
        var targets: [Target?] = []
        func target(_ bundle: InstalledBundle?, _ place: Target.Place) -> Target? {
            Target(bundle, at: place, openSince: openSince)
        }
        hosts = Self.hosts(of: snapshot, addresses, &targets, target)
        origins = Self.origins(of: bundles, &targets, target)
        // Mounts first: the operator chose them explicitly.
        let mounted = addresses.mounts.map { ($0.components, target(snapshot.bundles[$0.name], .mount)) }
        // A mount at the root keeps its address, and pages there mustn't read what other bundles have.
        let named = addresses.hasRoot ? [] : bundles.map { ([$0.name.string], target($0, .name)) }
        mounts = Self.paths(mounted, &targets)
        shared = Self.paths(mounted + named, &targets)
        publishers = Self.publishers(among: bundles)
        endpointHosts = Self.endpointHosts(addresses)
        longestFolder = targets.map { $0?.folder.count ?? 0 }.max() ?? 0
        held = snapshot.heldNames
        claims = Self.claims(in: snapshot)
        self.addresses = addresses
        self.targets = targets
    }

    /// The target whose origin, host or path covers a path. A bundle's own host serves no other bundle, not even for an
    /// absolute URL; elsewhere a mapped origin takes precedence over a mount, except on the loopback hosts and the
    /// endpoint's own, where a manifest takes nothing from the operator; the longest prefix wins, by whole components.
    ///
    /// - Parameters:
    ///   - path: Decoded; empty, or a sequence of a slash and a component.
    ///   - authority: Host and port in canonical form; nil when the request names none.
    func covering(
        _ path: UnsafeRawBufferPointer,
        scheme: OriginURL.Scheme?,
        authority: UnsafeRawBufferPointer?
    ) -> Covering? {
        guard let authority else { return shared.longest(of: path, in: Self.nowhere).flatMap(covering) }
        let host = AuthorityBytes.host(of: authority)
        if let own = hosts.longest(of: path, in: PrefixTable.Site(scheme: nil, authority: host)) {
            return covering(own)
        }
        if LocalHost.isName(host) { return nil }
        // An absolute URL outside the origins isn't covered, whatever its path.
        if let scheme { return origin(of: path, scheme: scheme, authority: authority).flatMap(covering) }
        let isLoopback = LocalHost.isLoopback(host)
        func local() -> PrefixTable.Match? {
            isLoopback || addresses.sharesOrigin
                ? shared.longest(of: path, in: Self.nowhere) : mounts.longest(of: path, in: Self.nowhere)
        }
        func mapped() -> PrefixTable.Match? { origin(of: path, scheme: nil, authority: authority) }
        let site = PrefixTable.Site(scheme: nil, authority: host)
        let isOwn = isLoopback || endpointHosts.longest(of: path, in: site) != nil
        return (isOwn ? local() ?? mapped() : mapped() ?? local()).flatMap(covering)
    }

    private func origin(
        of path: UnsafeRawBufferPointer,
        scheme: OriginURL.Scheme?,
        authority: UnsafeRawBufferPointer
    ) -> PrefixTable.Match? {
        func longest(_ scheme: OriginURL.Scheme) -> PrefixTable.Match? {
            origins.longest(of: path, in: PrefixTable.Site(scheme: scheme, authority: authority))
        }
        if let scheme { return longest(scheme) }
        // The longer one of both schemes when the request has none; https when they are equal.
        guard let secure = longest(.https) else { return longest(.http) }
        return longest(.http).flatMap { $0.depth > secure.depth ? $0 : nil } ?? secure
    }

    private func covering(_ match: PrefixTable.Match) -> Covering? {
        targets[match.target].map { Covering(target: $0, prefix: (match.byteCount, match.depth)) }
    }

    private static var nowhere: PrefixTable.Site {
        PrefixTable.Site(scheme: nil, authority: UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

extension RouteTable {
    /// The file for a request, or nil.
    ///
    /// - Parameters:
    ///   - authority: Host and port in canonical form; nil when the request names none.
    ///   - path: As it was sent.
    func file(
        _ scheme: OriginURL.Scheme?,
        _ authority: UnsafeRawBufferPointer?,
        _ path: UnsafeRawBufferPointer,
        isNavigation: Bool
    ) -> Resource? {
        look(scheme, authority, path, isNavigation: isNavigation) { _, finding in
            if case .file(let resource) = finding { resource } else { nil }
        }
    }

    /// Looks a request up and passes what was found to `body`, or returns nil when no bundle covers it. All look-ups
    /// end here.
    @inline(__always)
    func look<Result>(
        _ scheme: OriginURL.Scheme?,
        _ authority: UnsafeRawBufferPointer?,
        _ path: UnsafeRawBufferPointer,
        isNavigation: Bool,
        for pages: VersionCookies = .none,
        _ body: (Covering, FileLookup.Finding) -> Result?
    ) -> Result? {
        PathBuffer.withDecoded(path, headroom: longestFolder) { path in
            guard let covering = covering(path.bytes, scheme: scheme, authority: authority),
                let inner = path.inside(covering.target.folder, after: covering.prefix.byteCount)
            else { return nil }
            let lookup = FileLookup(
                target: covering.target,
                isNavigation: isNavigation,
                page: pages.release(among: covering.target.open)
            )
            return body(covering, lookup.finding(at: inner))
        }
    }
}

extension VersionCookies {
    /// The release of the requesting page among `releases`, all of one bundle.
    fileprivate func release(among releases: [Release]) -> Release? {
        guard !areEmpty, let name = releases.first?.name, let version = version(of: name) else { return nil }
        return releases.first { $0.version.string == version }
    }
}

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

/// The entries of a store and the addresses in the tables. Each function adds its targets to a list, and registers
/// their numbers.
extension RouteTable {
    typealias TargetMaking = (InstalledBundle?, Target.Place) -> Target?

    static func origins(
        of bundles: [InstalledBundle],
        _ targets: inout [Target?],
        _ target: TargetMaking
    ) -> PrefixTable {
        var table = PrefixTable()
        for bundle in bundles {
            for mapping in mappings(of: bundle, among: bundles) {
                let origin = mapping.origin
                table.insert(targets.count, at: origin.components, scheme: origin.scheme, authority: origin.authority)
                targets.append(target(bundle, .origin(mapping)))
            }
        }
        return table
    }

    /// Includes bundles that can't be served, so that no other bundle is served there.
    static func hosts(
        of snapshot: StoreSnapshot,
        _ addresses: BundleAddresses,
        _ targets: inout [Target?],
        _ target: TargetMaking
    ) -> PrefixTable {
        var table = PrefixTable()
        let local = snapshot.sortedBundles.compactMap { bundle in
            LocalHost.name(of: bundle.name).map { (bundle.name, $0) }
        }
        for (name, host) in addresses.hosts.map({ ($0.name, $0.host) }) + local {
            table.insert(targets.count, at: [], scheme: nil, authority: host)
            targets.append(target(snapshot.bundles[name], .host))
        }
        return table
    }

    /// The first target of a path keeps it.
    static func paths(_ places: [([String], Target?)], _ targets: inout [Target?]) -> PrefixTable {
        var table = PrefixTable()
        for (components, target) in places {
            table.insert(targets.count, at: components, scheme: nil, authority: "")
            targets.append(target)
        }
        return table
    }

    static func publishers(among bundles: [InstalledBundle]) -> [String: Set<BundleName>] {
        var publishers: [String: Set<BundleName>] = [:]
        for bundle in bundles {
            for mapping in mappings(of: bundle, among: bundles) {
                publishers[mapping.origin.host, default: []].insert(bundle.name)
            }
        }
        return publishers
    }

    static func claims(in snapshot: StoreSnapshot) -> [String: Set<[String]>]? {
        guard snapshot.damage.isEmpty else { return nil }
        var claims: [String: Set<[String]>] = [:]
        for origin in snapshot.bundles.values.flatMap(\.releases).flatMap(\.manifest.origins).map(\.origin) {
            claims[origin.host, default: []].insert(origin.components)
        }
        return claims
    }

    /// The mappings under which a bundle is served. A release that replaces another doesn't restore those that the
    /// other has given up: another bundle may have the origin now. When the release's origins can't be determined any
    /// more, another bundle takes precedence.
    private static func mappings(of bundle: InstalledBundle, among bundles: [InstalledBundle]) -> [OriginMapping] {
        let mappings = bundle.serving?.manifest.origins ?? []
        guard bundle.fallbackRelease != nil else { return mappings }
        if let active = bundle.active ?? bundle.damaged.first(where: { $0.state == .active }) {
            let claimed = Set(active.manifest.origins.map(\.origin))
            return mappings.filter { claimed.contains($0.origin) }
        }
        let others = bundles.filter { $0.name != bundle.name }.compactMap { $0.serving?.manifest }
        return mappings.filter { mapping in
            others.allSatisfy { OriginOverlap.all(of: [mapping.origin], with: $0).isEmpty }
        }
    }

    static func endpointHosts(_ addresses: BundleAddresses) -> PrefixTable {
        var table = PrefixTable()
        for host in addresses.endpointHosts { table.insert(0, at: [], scheme: nil, authority: host) }
        return table
    }
}

extension StoreSnapshot {
    /// Every bundle that is held at all, even damaged; nil when the damage may be any bundle's.
    var heldNames: Set<BundleName>? {
        let damaged = damage.map(\.bundle)
        guard !damaged.contains(nil) else { return nil }
        return Set(bundles.keys).union(damaged.compactMap(\.self))
    }
}
