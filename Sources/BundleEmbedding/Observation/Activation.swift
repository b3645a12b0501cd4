import BundleStore

/// Another version of a bundle responds now, or none. A value type; safe to share between threads.
public struct Activation: Hashable, Sendable {
    /// The bundle.
    public let name: BundleName
    /// The version that responded before; nil when none did.
    public let previous: BundleVersion?
    /// The version that responds now; nil when none does.
    public let version: BundleVersion?
}
