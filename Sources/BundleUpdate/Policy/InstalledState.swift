import BundleStore

/// What ``UpdatePolicy`` has to know of a bundle in the store. A value type; safe to share between threads.
package struct InstalledState: Equatable, Sendable {
    /// The active version; nil when none is.
    package var active: BundleVersion?
    /// The channel that the bundle follows.
    package var channel: String
    /// The highest version that was left for a lower one: only higher ones are taken. Nil when there is none.
    package var held: BundleVersion?
    /// Whether updates leave the bundle as it is.
    package var isOnHold: Bool
    /// The archives that were fetched and can't be used.
    package var failures: [FailedRelease]
    /// The highest sequence number that the feed has had; nil when none was seen.
    package var highestSequence: Int64?

    package init(
        active: BundleVersion?,
        channel: String = BundleManifest.defaultChannel,
        held: BundleVersion? = nil,
        isOnHold: Bool = false,
        failures: [FailedRelease] = [],
        highestSequence: Int64? = nil
    ) {
        self.active = active
        self.channel = channel
        self.held = held
        self.isOnHold = isOnHold
        self.failures = failures
        self.highestSequence = highestSequence
    }
}
