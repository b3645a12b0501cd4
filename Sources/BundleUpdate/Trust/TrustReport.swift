import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// By what a bundle's feed is trusted; as a JSON document too. A value type; safe to share between threads.
public struct TrustReport: Encodable, Sendable {
    /// Who may say something of the feed, and what was said last.
    public struct Role: Encodable, Sendable {
        /// The role's name: `root`, `targets`, `snapshot`, `timestamp`, or that of a delegated role.
        public let name: String
        /// How many of the keys must have signed.
        public let threshold: Int
        /// The names of the keys that may sign.
        public let keys: [String]
        /// The version that is trusted; nil where none was received, or it counts no more.
        public let version: Int?
        /// When that expires.
        public let expires: Date?

        fileprivate init(_ role: RoleName, _ authority: RoleAuthority, _ content: (any RoleContent)?) {
            name = role.text.string
            threshold = authority.threshold
            keys = authority.keys.keys.sorted().map(\.string)
            (version, expires) = (content?.version, content?.expiry)
        }
    }

    /// The bundle.
    public let name: BundleName
    /// SHA-256 of the root that the trust began with.
    public let root: String
    /// Whether that was the first root that was seen, and nobody has given it.
    public let isPinned: Bool
    /// Since when it is trusted.
    public let since: Date
    /// The roles.
    public let roles: [Role]

    /// When updates end unless something new is signed: what is installed stays.
    public var expires: Date? { roles.compactMap(\.expires).min() }

    /// Reads what the store has, without a network.
    ///
    /// - Returns: Nil when the bundle's feed needn't be signed.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when it can't be read.
    package init?(of name: BundleName, in store: BundleStore) throws {
        guard let anchor = try store.trustAnchor(of: name) else { return nil }
        self.name = name
        (root, isPinned, since) = (anchor.digest.hex, anchor.isPinned, anchor.date)
        let keeper = try CatalogKeeper(store, name, anchor: anchor.digest)
        roles = try Self.roles(keeper)
    }

    private static func roles(_ keeper: CatalogKeeper) throws -> [Role] {
        guard let bytes = try keeper.document(of: .root), var state = try? TrustedState(anchor: bytes) else {
            return []
        }
        // What has expired is shown too.
        if let timestamp = try keeper.document(of: .timestamp) {
            _ = try? state.updateTimestamp(timestamp, at: .distantPast)
        }
        if let snapshot = try keeper.document(of: .snapshot) { try? state.updateSnapshot(snapshot, at: .distantPast) }
        if let targets = try keeper.document(of: .targets) { try? state.updateTargets(targets, at: .distantPast) }
        let delegated = state.targets?.delegations.map { Role($0.role, $0.authority, nil) } ?? []
        return [
            Role(.root, state.root.root, state.root), Role(.targets, state.root.targets, state.targets),
            Role(.snapshot, state.root.snapshot, state.snapshot),
            Role(.timestamp, state.root.timestamp, state.timestamp),
        ] + delegated
    }
}

extension BundleStore {
    /// The most bytes of a root that ``trust(_:root:named:)`` takes.
    package static var maximumRootByteCount: Int { TrustLimits.rootByteCount }

    /// Has a bundle's feed trusted by a publisher's root, and by no other one, from now on. The bundle needn't be installed yet.
    ///
    /// - Parameters:
    ///   - root: The root's bytes.
    ///   - source: What messages call it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it isn't a root that is signed by its own keys, or when
    ///   the feed is trusted by another one.
    package func trust(_ name: BundleName, root bytes: [UInt8], named source: String) throws {
        let root = try PublisherRoot(bytes, named: source)
        if let anchor = try trustAnchor(of: name), anchor.digest != root.digest {
            throw BundleError(
                .invalidArgument,
                "the feed of \(name) is trusted by another root, which has SHA-256 \(anchor.digest)",
                .endTrust(name)
            )
        }
        try trust(name, by: root.digest, isPinned: false, [root.document].compactMap(\.self))
    }
}
