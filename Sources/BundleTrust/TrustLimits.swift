/// What a role's document may have at most. A publisher, or the operator of its server, may write anything; what goes
/// beyond is refused before it costs memory or time.
package enum TrustLimits {
    /// The bytes of a root document.
    package static let rootByteCount = 512_000
    /// The bytes of a timestamp.
    package static let timestampByteCount = 16_384
    /// The bytes of a snapshot.
    package static let snapshotByteCount = 2_000_000
    /// The bytes of the targets, and of those of a delegated role.
    package static let targetsByteCount = 5_000_000

    /// The keys that a root or a list of delegations defines.
    package static let keyCount = 1_024
    /// The keys of one role.
    package static let roleKeyCount = 256
    /// The signatures of a document.
    package static let signatureCount = 256
    /// The bytes of a key's name.
    package static let keyNameByteCount = 256
    /// The characters of a public key, which is PEM or hexadecimal digits.
    package static let keyByteCount = 8_192
    /// The digits of a signature. One of RSA with 8,192 bits has 2,048.
    package static let signatureByteCount = 4_096

    /// The documents that a timestamp or a snapshot lists.
    package static let listedCount = 16_384
    /// The targets of one role.
    package static let targetCount = 100_000
    /// The delegations of one role.
    package static let delegationCount = 1_024
    /// The patterns or prefixes of one delegation.
    package static let patternCount = 1_024
    /// The bytes of a target's path, and of a pattern for paths.
    package static let pathByteCount = 1_024
    /// The bytes of a role's name in a file name, where most characters outside ASCII's letters take three each.
    package static let roleNameByteCount = 200
    /// The hashes of one file.
    package static let hashCount = 16
    /// The digits of a hash.
    package static let hashByteCount = 256

    /// The roots that are followed in one update, from the one known to the latest (specification 5.3.3, “Y”).
    package static let rootRotationCount = 256
    /// The bytes of all delegated documents in the search for one target: their delegations wait in memory.
    package static let searchByteCount = 2_000_000
    /// The delegated roles that are visited in the search for one target (5.6.7.1).
    package static let visitedRoleCount = 32
}
