import BundleStore
import BundleUpdate

/// What a publisher's change has come to. A value type; safe to share between threads.
package struct FeedChangeReport: Equatable, Sendable {
    /// The feed's file.
    package let feedPath: String
    /// The feed's sequence number.
    package let sequence: Int64
    /// The releases that are offered otherwise than before, as they are now; the highest first.
    package let changed: [FeedEntry]
    /// The versions that are no longer offered, the highest first.
    package let removed: [BundleVersion]
    /// The archives that were removed, with their content lists and patches, sorted.
    package let removedArchives: [String]
    /// Those that the feed has stopped naming now, and that stay for ``WithdrawnFiles/period``, sorted.
    package let withdrawnArchives: [String]
}
