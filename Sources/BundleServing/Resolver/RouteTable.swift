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
