/// What has become of a release that was found not to work. A value type; safe to share between threads.
public struct BadRelease: Sendable, Hashable {
    /// The bundle.
    public let name: BundleName
    /// The version that doesn't work.
    public let version: BundleVersion
    /// Why it counts as one.
    public let reason: String
    /// The version that is active now; nil when the bundle has none.
    public let active: BundleVersion?
    /// Why the release before can't take its place, so that it wasn't marked bad; nil otherwise.
    package var obstacle: String?

    /// Whether it stays active, because there is nothing to go back to.
    public var stays: Bool { active?.string == version.string }
}
