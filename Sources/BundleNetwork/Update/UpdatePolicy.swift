import BundleStore

/// Decides, from what is installed and what is offered, whether to update. Pure: no clock, no network, no store.
package enum UpdatePolicy {
    /// Compares the highest version that `feed` offers in `channel` with `local`.
    ///
    /// A higher version is an update. A lower or equal one changes nothing: downgrades are left to the operator. A
    /// pre-release counts like any version of its channel, by its precedence (SemVer §11).
    ///
    /// - Parameters:
    ///   - local: The version that is active, or nil when none is installed, which any release exceeds.
    ///   - channel: The channel that the bundle follows.
    ///   - feed: The publisher's feed.
    package static func decide(local: BundleVersion?, channel: String, feed: Feed) -> UpdateDecision {
        let offered = feed.releases.filter { $0.isOffered(in: channel) }
        guard let highest = offered.max(by: { $0.version < $1.version }) else { return .upToDate(highest: nil) }
        if let local, highest.version <= local { return .upToDate(highest: highest.version) }
        return .update(highest)
    }
}
