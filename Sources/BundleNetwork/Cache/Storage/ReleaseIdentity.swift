import BundleStore

/// One activation of a release: after a rollback nothing is left of what was stored under it before.
struct ReleaseIdentity: Hashable, Sendable {
    let version: String
    /// Higher than those of earlier activations.
    let activation: Int64

    init(_ release: Release) {
        version = release.version.string
        activation = release.activationNumber ?? 0
    }
}
