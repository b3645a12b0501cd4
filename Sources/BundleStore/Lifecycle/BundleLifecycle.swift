/// Where a bundle's releases are between installation and use. A value type; safe to share between threads.
public struct BundleLifecycle: Sendable, Hashable {
    /// The release that becomes active later; nil when there is none.
    public var pending: PendingActivation?
    /// What is known of the active release while it has yet to be confirmed; nil when it needn't be.
    public var probation: Probation?
    /// Why nothing of the active release is used; nil when it is.
    public var withdrawal: Withdrawal?
    /// The versions that were shipped with an app.
    package var seeds: Set<String> = []
}
