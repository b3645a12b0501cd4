import BundleTrust

/// What a key is for. A value type; safe to share between threads.
package enum KeyRole: String, CaseIterable, Sendable {
    /// Says which keys the others have.
    case root
    /// Says what may be installed.
    case release
    /// Says who gets a release, and when.
    case online
}

extension KeyRole {
    /// The roles at the top that the key signs for.
    var documentRoles: [RoleName] {
        switch self {
        case .root: [.root]
        case .release: [.targets]
        case .online: [.snapshot, .timestamp]
        }
    }

    /// Who may sign for it.
    func authority(in root: RootContent) -> RoleAuthority {
        switch self {
        case .root: root.root
        case .release: root.targets
        case .online: root.snapshot
        }
    }
}

extension RootContent {
    /// Who may sign for one of the roles at the top.
    func authority(of role: RoleName) -> RoleAuthority {
        switch role {
        case .timestamp: timestamp
        case .snapshot: snapshot
        case .targets: targets
        default: root
        }
    }
}

extension RoleName {
    /// The delegated role that vouches for `feed.json`.
    static let feedFile = RoleName(delegated: "feed") ?? .targets
}

extension TargetsContent {
    /// Who signs the role `feed`; nil when it isn't delegated.
    var feedAuthority: RoleAuthority? { delegations.first { $0.role == .feedFile }?.authority }
}
