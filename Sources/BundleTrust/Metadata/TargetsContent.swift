import BundleModel
import Foundation

/// What the targets or a delegated role say (4.5): files, and roles that are trusted with other files. A value type; safe to share
/// between threads.
package struct TargetsContent: RoleContent {
    package static let type: ExactString = "targets"

    package let version: Int
    package let expiry: Date
    /// The targets by their paths.
    package let targets: [ExactString: SignedTarget]
    /// The delegations, the most trusted one first.
    package let delegations: [Delegation]

    package init(_ signed: JSONElement) throws(BundleError) {
        version = try signed.required("version").positiveInteger()
        expiry = try signed.required("expires").time()
        var targets: [ExactString: SignedTarget] = [:]
        for (path, element) in try signed.required("targets").members(atMost: TrustLimits.targetCount) {
            guard path.utf8.count <= TrustLimits.pathByteCount else { throw element.refused("has too long a path") }
            targets[ExactString(path)] = try SignedTarget(element)
        }
        self.targets = targets
        delegations = try signed.member("delegations").map(Self.delegations) ?? []
    }

    /// Without `roles` there may be other kinds of delegations, which lead nowhere here.
    private static func delegations(_ element: JSONElement) throws(BundleError) -> [Delegation] {
        let keys = try element.required("keys").keys()
        var names: Set<RoleName> = []
        var delegations: [Delegation] = []
        for role in try element.member("roles")?.elements(atMost: TrustLimits.delegationCount) ?? [] {
            let delegation = try Delegation(role, among: keys)
            guard names.insert(delegation.role).inserted else { throw role.refused("is a second one of this name") }
            delegations.append(delegation)
        }
        return delegations
    }
}

/// A file that may be installed. A value type; safe to share between threads.
package struct SignedTarget: Sendable {
    /// The length, which is always given, and the hashes.
    package let file: SignedFile
    /// What the publisher says of the file besides.
    package let custom: JSONValue?

    init(_ element: JSONElement) throws(BundleError) {
        file = try SignedFile(byteCount: element.required("length"), hashes: element.required("hashes"))
        custom = try element.member("custom")?.value
    }

    /// The path of the file in its repository, percent-encoded for a URL: with consistent snapshots `dir/HASH.name`.
    ///
    /// - Throws: ``TrustError`` with `unsupportedHash` when no hash is known that the name could begin with.
    package func filePath(_ path: TargetPath, isConsistentSnapshot: Bool) throws(TrustError) -> String {
        guard isConsistentSnapshot else { return path.filePath(hash: nil) }
        guard let hash = file.sha256 ?? file.sha512 else {
            throw TrustError(.unsupportedHash, path.text.string, "has neither SHA-256 nor SHA-512")
        }
        return path.filePath(hash: PercentEncoding.encode(component: hash.string))
    }
}
