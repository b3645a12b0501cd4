import BundleStore

/// What takes time in publishing a release. A value type; safe to share between threads.
package enum PublishingStep: Equatable, Sendable {
    /// The archive is copied.
    case copying
    /// The patch from an earlier version is made.
    case patching(from: BundleVersion)
}
