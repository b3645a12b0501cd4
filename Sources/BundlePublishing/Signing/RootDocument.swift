import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// Makes roots: which keys each role has.
enum RootDocument {
    /// What the first root says: each key is that of its roles, alone.
    static func first(_ keys: [KeyRole: PublishedKey], at now: Date) -> JSONValue {
        let known = KeyRole.allCases.compactMap { keys[$0] }
        let roles = KeyRole.allCases.flatMap { role in
            let names = keys[role].map { [ExactString($0.id)] } ?? []
            return role.documentRoles.map { ($0.text.string, JSONValue.members(MetadataDocument.role(names))) }
        }
        return .members(
            MetadataDocument.header(RootContent.type, version: 1, expiry: now + MetadataLife.release) + [
                ("consistent_snapshot", .bool(true)),
                ("keys", .members(known.map { ($0.id, $0.json) })),
                ("roles", .members(roles)),
            ]
        )
    }
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
