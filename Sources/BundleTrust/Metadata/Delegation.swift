import BundleModel
import Crypto

/// A role that another one trusts with some paths (4.5). A value type; safe to share between threads.
package struct Delegation: Sendable {
    private enum Paths {
        case patterns([TargetPattern])
        /// Beginnings of the SHA-256 of paths, in hexadecimal digits.
        case hashPrefixes([String])
    }

    /// The role's name.
    package let role: RoleName
    /// Who may sign for the role on this way to it.
    package let authority: RoleAuthority
    /// Whether the delegations after this one are not asked about its paths.
    package let isTerminating: Bool

    private let paths: Paths

    init(_ element: JSONElement, among keys: [ExactString: PublicKey]) throws(BundleError) {
        let name = try element.required("name")
        guard let role = RoleName(delegated: try name.string()) else {
            throw name.refused("can't be the name of a delegated role")
        }
        self.role = role
        authority = try RoleAuthority(element, among: keys)
        isTerminating = try element.member("terminating")?.boolean() ?? false
        paths = try Self.paths(element)
    }

    /// Whether the role is trusted with a target of this path.
    func covers(_ path: TargetPath) -> Bool {
        switch paths {
        case .patterns(let patterns):
            return patterns.contains { $0.matches(path.text.string) }
        case .hashPrefixes(let prefixes):
            let digest = Digest(of: Array(path.text.string.utf8)).hex
            return prefixes.contains { digest.utf8.starts(with: $0.utf8) }
        }
    }

    private static func paths(_ element: JSONElement) throws(BundleError) -> Paths {
        switch (try element.member("paths"), try element.member("path_hash_prefixes")) {
        case (let patterns?, nil):
            let texts = try patterns.texts(TrustLimits.patternCount, ofAtMost: TrustLimits.pathByteCount)
            return .patterns(texts.map(TargetPattern.init))
        case (nil, let prefixes?):
            return .hashPrefixes(try prefixes.texts(TrustLimits.patternCount, ofAtMost: 2 * Digest.byteCount))
        default:
            throw element.refused("must have either “paths” or “path_hash_prefixes”")
        }
    }
}
