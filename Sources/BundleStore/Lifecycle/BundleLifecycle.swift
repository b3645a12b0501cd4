/// Where a bundle's releases are between installation and use. A value type; safe to share between threads.
public struct BundleLifecycle: Sendable, Hashable {
    /// The release that becomes active later; nil when there is none.
    public var pending: PendingActivation?
    /// What is known of the active release while it has yet to be confirmed; nil when it needn't be.
    public var probation: Probation?
    /// Why releases aren't used, by version.
    package var withdrawals: [String: Withdrawal] = [:]
    /// The versions that asked for a confirmation and haven't got it.
    package var unconfirmed: Set<String> = []
    /// The versions that no rollback leads to.
    package var left: Set<String> = []
    /// The versions that were shipped with an app.
    package var seeds: Set<String> = []
}
