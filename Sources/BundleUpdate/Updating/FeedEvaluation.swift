import BundleStore
import Foundation

/// Decides what a feed offers a bundle in its present state, and records what follows from that at once. A value type; safe to
/// share between threads.
struct FeedEvaluation: Sendable {
    let store: BundleStore
    let configuration: Updater.Configuration

    private var journal: UpdateJournal { UpdateJournal(store: store) }

    /// Asks the policy, and remembers the feed's sequence number, and which releases mustn't be used any more.
    ///
    /// - Parameters:
    ///   - received: The feed, and by what it is trusted.
    ///   - url: The URL at which the feed was asked for.
    ///   - channel: The channel to follow; nil for the bundle's, or of a new one the default of manifests.
    ///   - permitsNew: Whether there may be no bundle yet.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there has to be a bundle and is none,
    ///   `storeUnavailable` or `storeDamaged` when the store can't be read.
    func check(
        _ received: ReceivedFeed,
        from url: String,
        channel: String? = nil,
        permitsNew: Bool = false
    ) throws -> UpdateCheck {
        let feed = received.feed
        let name = feed.name
        // The feed may have taken its time.
        try store.refresh()
        let bundle = permitsNew ? store.snapshot.bundles[name] : try store.bundle(name)
        let state = try store.updateState(of: name)
        let followed = state?.chosenFeed?.channel ?? bundle?.current?.manifest.channel
        // Of a signed feed, the versions of its documents tell the order, and begin again when its keys are replaced.
        let seen = received.trust == nil ? try sequence(of: feed, from: url) : nil
        let decision = UpdatePolicy.decide(
            installed: InstalledState(
                active: bundle?.activeVersion,
                channel: channel ?? followed ?? BundleManifest.defaultChannel,
                held: state?.heldVersion,
                isOnHold: state?.isOnHold ?? false,
                failures: try store.failedReleases(of: name),
                highestSequence: seen
            ),
            feed: feed,
            // A store that can't be written has no place of its own yet, and can't be updated either.
            device: DeviceState(
                cohort: (try? store.installationIdentifier()).map { Cohort(of: $0, for: name) },
                shell: configuration.shellVersion,
                groups: configuration.groups
            ),
            now: store.now()
        )
        let check = UpdateCheck(
            name: name,
            local: bundle?.activeVersion,
            held: state?.heldVersion,
            isOnHold: state?.isOnHold ?? false,
            feed: url,
            trust: received.trust,
            decision: decision
        )
        if received.trust == nil, let sequence = feed.sequence, sequence > seen ?? 0 {
            try? store.recordSequence(sequence, of: name, feed: url)
        }
        journal.checked(check)
        if decision.feedRejection == nil { try? store.recordOffer(decision.offered, of: name) }
        // What mustn't be used any more ends at once, for all processes, and not with the update.
        if decision.feedRejection == nil { withdraw(feed, bundle, decision) }
        journal.decided(check)
        return check
    }

    /// The highest sequence number that the feed has had; nil when none was seen, or it doesn't count any more.
    private func sequence(of feed: Feed, from url: String) throws -> Int64? {
        let seen = try store.highestSequence(of: feed.name, feed: url)
        guard configuration.acceptsOlderFeeds, let rejection = UpdatePolicy.rejection(of: feed, seen: seen) else {
            return seen
        }
        try store.forgetSequence(of: feed.name, feed: url)
        journal.accepted(rejection, of: feed.name)
        return nil
    }

    private func withdraw(_ feed: Feed, _ bundle: InstalledBundle?, _ decision: UpdateDecision) {
        let versions = bundle.map { $0.releases.map(\.version) + [$0.activeVersion].compactMap(\.self) } ?? []
        let withdrawals = Dictionary(versions.map { ($0.string, $0) }, uniquingKeysWith: { first, _ in first }).values
            .compactMap(decision.withdrawal)
        try? store.setWithdrawals(withdrawals, of: feed.name)
        try? store.leaveRevoked(Set(feed.releases.filter(\.terms.isRevoked).map(\.version.string)), of: feed.name)
    }
}
