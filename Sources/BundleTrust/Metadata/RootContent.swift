import BundleModel
import Foundation

/// What a root says (4.3): the keys of the four roles at the top. A value type; safe to share between threads.
package struct RootContent: RoleContent {
    package static let type: ExactString = "root"

    package let version: Int
    package let expiry: Date
    /// Whether files have their version or hash in their names (6.2).
    package let isConsistentSnapshot: Bool
    /// Who may sign a root.
    package let root: RoleAuthority
    /// Who may sign a timestamp.
    package let timestamp: RoleAuthority
    /// Who may sign a snapshot.
    package let snapshot: RoleAuthority
    /// Who may sign the targets.
    package let targets: RoleAuthority

    package init(_ signed: JSONElement) throws(BundleError) {
        version = try signed.required("version").positiveInteger()
        expiry = try signed.required("expires").time()
        isConsistentSnapshot = try signed.member("consistent_snapshot")?.boolean() ?? false
        let keys = try signed.required("keys").keys()
        let roles = try signed.required("roles")
        root = try RoleAuthority(roles.required("root"), among: keys)
        timestamp = try RoleAuthority(roles.required("timestamp"), among: keys)
        snapshot = try RoleAuthority(roles.required("snapshot"), among: keys)
        targets = try RoleAuthority(roles.required("targets"), among: keys)
    }
}
