import BundleStore

/// Which bundle answers where: what a ``ResourceResolver`` looks into.
///
/// Immutable, and a class so that handing it on costs one reference.
final class RouteTable: Sendable {
    /// A bundle, and the prefix under which it answers.
    final class Target: Sendable {
        /// The release that answers.
        let active: Release
        let retained: [Release]
        /// Nil for a mount or a name.
        let mapping: OriginMapping?
        /// The path of the folder that stands for the prefix; empty for the bundle's root.
        let folder: [UInt8]

        fileprivate init?(_ bundle: InstalledBundle?, mapping: OriginMapping? = nil) {
            guard let bundle, let active = bundle.answering else { return nil }
            self.active = active
            retained = bundle.retained.filter { $0 !== active }
            self.mapping = mapping
            folder = mapping?.folder.map { Array($0.string.utf8) } ?? []
        }
    }

    /// Whose prefix a path has.
    struct Covering {
        let target: Target
        /// The prefix's length in bytes and in components.
        let prefix: (byteCount: Int, depth: Int)
    }

    /// The length of the longest folder of a mapping in bytes.
    let longestFolder: Int
    /// Nil stands for a mount whose bundle the store doesn't hold, or none of which is active.
    private let targets: [Target?]
    private let origins: PrefixTable
    private let mounts: PrefixTable
    /// The hosts of all origins, as ``BundleStore/OriginURL/host`` has them.
    let hosts: Set<String>

    init(_ snapshot: StoreSnapshot, mounts: [Mount]) {
        var targets: [Target?] = []
        var origins = PrefixTable()
        var mountTable = PrefixTable()
        let bundles = snapshot.sortedBundles.filter { $0.answering != nil }
        for bundle in bundles {
            for mapping in bundle.answering?.manifest.origins ?? [] {
                let origin = mapping.origin
                origins.insert(
                    targets.count,
                    at: origin.components,
                    scheme: origin.scheme,
                    authority: origin.authority
                )
                targets.append(Target(bundle, mapping: mapping))
            }
        }
        // Mounts first: they were asked for by name.
        for mount in mounts {
            mountTable.insert(targets.count, at: mount.components, scheme: nil, authority: "")
            targets.append(Target(snapshot.bundles[mount.name]))
        }
        for bundle in bundles {
            mountTable.insert(targets.count, at: [bundle.name.string], scheme: nil, authority: "")
            targets.append(Target(bundle))
        }
        longestFolder = targets.map { $0?.folder.count ?? 0 }.max() ?? 0
        hosts = Set(targets.compactMap { $0?.mapping?.origin.host })
        self.targets = targets
        self.origins = origins
        self.mounts = mountTable
    }

    /// Whose origin or mount covers a path. A mapped origin counts before a mount; the longest prefix wins, by whole
    /// components.
    ///
    /// - Parameters:
    ///   - path: Decoded; empty, or a slash and a component, and so on.
    ///   - authority: Host and port in their one spelling; nil when the request names none.
    func covering(
        _ path: UnsafeRawBufferPointer,
        scheme: OriginURL.Scheme?,
        authority: UnsafeRawBufferPointer?
    ) -> Covering? {
        if let authority {
            if let found = origin(of: path, scheme: scheme, authority: authority) { return covering(found) }
            // An absolute URL outside the origins isn't ours, whatever its path looks like. A path is, also when its host is
            // mapped: that may be the address that the endpoint itself listens on.
            if scheme != nil { return nil }
        }
        let nowhere = PrefixTable.Site(scheme: nil, authority: UnsafeRawBufferPointer(start: nil, count: 0))
        return mounts.longest(of: path, in: nowhere).flatMap(covering)
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
        // The longest of both schemes' when the request doesn't say which; https when they are equal.
        guard let secure = longest(.https) else { return longest(.http) }
        return longest(.http).flatMap { $0.depth > secure.depth ? $0 : nil } ?? secure
    }

    private func covering(_ match: PrefixTable.Match) -> Covering? {
        targets[match.target].map { Covering(target: $0, prefix: (match.byteCount, match.depth)) }
    }
}
