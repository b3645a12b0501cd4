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
        /// Whether at least half of its life is over.
        public let isDue: Bool

        /// How many of which keys have to sign, by the first eight characters of their names: `1 of 3f2a90bd`.
        package var signers: String { "\(threshold) of \(keys.map { $0.prefix(8) }.joined(separator: ", "))" }

        fileprivate init(
            _ role: RoleName,
            _ authority: RoleAuthority,
            _ content: (any RoleContent)?,
            since signedAt: Date? = nil,
            at now: Date
        ) {
            name = role.text.string
            threshold = authority.threshold
            keys = authority.keys.keys.sorted().map(\.string)
            (version, expires) = (content?.version, content?.expiry)
            isDue =
                content.map { SignatureLife.isDue(role, until: $0.expiry, since: signedAt, at: now) }
                ?? false
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
    /// The time against which documents expire: the machine's, or what is known to be past.
    public let time: Date
    /// The roles.
    public let roles: [Role]

    /// When updates end unless something new is signed: what is installed stays.
    public var expires: Date? { roles.compactMap(\.expires).min() }

    /// Who signs what, in one line: the names of keys are shortened.
    package var signers: String {
        roles.map { "\($0.name) \($0.signers)" }.joined(separator: ", ")
    }

    /// What an operator should know of signatures of which at least half of the life is over, one for each key that has to sign again.
    /// Nothing installed is concerned.
    package var warnings: [TrustWarning] {
        roles.reduce(into: []) { warnings, role in
            guard role.isDue, let expiry = role.expires else { return }
            let warning = TrustWarning(name: name, roles: [role.name], expiry: expiry, isExpired: expiry <= time)
            let same = warnings.firstIndex { $0.remedy == warning.remedy && $0.isExpired == warning.isExpired }
            if let same { warnings[same].add(warning) } else { warnings.append(warning) }
        }
    }

    /// Reads what the store has, without a network.
    ///
    /// - Returns: Nil when the bundle's feed needn't be signed.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when it can't be read.
    package init?(of name: BundleName, in store: BundleStore) throws {
        guard let anchor = try store.trustAnchor(of: name) else { return nil }
        let keeper = try CatalogKeeper(store, name, anchor: anchor.digest)
        try self.init(of: name, by: anchor, Self.state(keeper), keeper, in: store)
    }

    private static func state(_ keeper: CatalogKeeper) throws -> TrustedState? {
        guard var state = try TrustedState.counting(in: keeper) else { return nil }
        // What has expired is shown too.
        if let snapshot = try keeper.document(of: .snapshot) { try? state.updateSnapshot(snapshot, at: .distantPast) }
        if let targets = try keeper.document(of: .targets) { try? state.updateTargets(targets, at: .distantPast) }
        return state
    }

    /// - Parameters:
    ///   - state: What is trusted; nil for nothing that counts.
    ///   - keeper: Where the delegated roles are kept.
    fileprivate init(
        of name: BundleName,
        by anchor: TrustAnchor,
        _ state: TrustedState?,
        _ keeper: any MetadataKeeper,
        in store: BundleStore
    ) throws {
        self.name = name
        (root, isPinned, since) = (anchor.digest.hex, anchor.isPinned, anchor.date)
        time = try TrustTime.now(in: store, after: state)
        roles = try state.map { [time] in try Self.roles($0, keeper, at: time) } ?? []
    }

    private static func roles(_ state: TrustedState, _ keeper: any MetadataKeeper, at now: Date) throws -> [Role] {
        let signedAt = state.timestamp?.signedAt
        let delegated = try state.targets?.delegations.map { delegation in
            let content = try keeper.document(of: delegation.role).flatMap { bytes in
                try? state.targets(bytes, of: delegation, at: .distantPast)
            }
            return Role(delegation.role, delegation.authority, content, since: signedAt, at: now)
        }
        return [
            Role(.root, state.root.root, state.root, at: now),
            Role(.targets, state.root.targets, state.targets, at: now),
            Role(.snapshot, state.root.snapshot, state.snapshot, since: signedAt, at: now),
            Role(.timestamp, state.root.timestamp, state.timestamp, since: signedAt, at: now),
        ] + (delegated ?? [])
    }
}

extension FeedOutcome<UpdateCheck> {
    /// By what the feed is trusted after the check; nil when it needn't be signed, or is trusted only once something of it is installed.
    /// What the check has verified isn't verified again.
    ///
    /// - Throws: As ``TrustReport/init(of:in:)``.
    package func trustReport(in store: BundleStore) throws -> TrustReport? {
        guard let trust = value?.trust else { return try TrustReport(of: name, in: store) }
        guard let anchor = try store.trustAnchor(of: name), anchor.digest == trust.anchor else { return nil }
        let keeper = try CatalogKeeper(store, name, anchor: anchor.digest)
        return try TrustReport(of: name, by: anchor, trust.state, keeper, in: store)
    }
}

/// That a key should sign again, half of the life of its signatures being over. A value type; safe to share between threads.
package struct TrustWarning: Hashable, Sendable {
    /// The bundle.
    package let name: BundleName
    /// The roles whose documents they are.
    package private(set) var roles: [String]
    /// When the life of the first one is over.
    package private(set) var expiry: Date
    /// Whether it is over.
    package let isExpired: Bool

    init(name: BundleName, roles: [String], expiry: Date, isExpired: Bool) {
        (self.name, self.roles, self.expiry, self.isExpired) = (name, roles, expiry, isExpired)
    }

    /// Adds one that the same key puts right.
    mutating func add(_ other: TrustWarning) {
        roles += other.roles
        expiry = min(expiry, other.expiry)
    }

    /// What is the matter, in one line.
    package var problem: String {
        let (date, roles) = (expiry.formatted(.iso8601), roles.map(Printable.line).joined(separator: ", "))
        return isExpired
            ? "\(name) gets no updates, since it was signed until \(date) (\(roles)); what is installed stays"
            : "\(name) gets no updates after \(date), unless it is signed again (\(roles))"
    }

    /// What to do, as an order.
    package var remedy: String { SignatureLife.renewal(of: roles.first ?? "") }
}
