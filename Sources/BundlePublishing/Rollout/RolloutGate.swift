import BundleUpdate
import Foundation

/// Decides whether a release is offered to more installations, from what has become of those that have it. Pure: no clock, no network,
/// no feed. A value type; safe to share between threads.
///
/// What isn't known never raises a share, and never revokes a release.
package struct RolloutGate: Equatable, Sendable {
    /// What a release may be bad on where nothing else is said.
    package static let defaultMaximumBad = Rollout(percent: 2) ?? .everyone

    /// The shares, from the lowest to the highest.
    package let steps: [Rollout]
    /// How long a share holds before the next one, in seconds.
    package let soak: TimeInterval
    /// The highest share of the installations on which the release may be bad.
    package let maximumBad: Rollout
    /// How many installations must have the release before a share counts, 1 or more.
    package let least: Int
    /// Whether a bad release is only held, and not revoked.
    package let holdsOnly: Bool

    package init(steps: [Rollout], soak: TimeInterval, maximumBad: Rollout, least: Int, holdsOnly: Bool = false) {
        self.steps = steps.sorted { $0.percent < $1.percent }
        (self.soak, self.maximumBad, self.least, self.holdsOnly) = (soak, maximumBad, least, holdsOnly)
    }

    /// What the feed says of the release. A value type; safe to share between threads.
    package struct Offer: Equatable, Sendable {
        /// The share of the installations that it is offered to.
        package let share: Rollout
        /// Since when; nil when the feed doesn't say.
        package let since: Date?
        /// Whether it must not be used any more.
        package let isRevoked: Bool

        package init(share: Rollout, since: Date?, isRevoked: Bool = false) {
            (self.share, self.since, self.isRevoked) = (share, since, isRevoked)
        }
    }

    /// What is known of the installations. A value type; safe to share between threads.
    package enum Evidence: Equatable, Sendable {
        /// How many have or had the release, and how many of those found that it doesn't work; neither is negative.
        case counted(active: Double, bad: Double)
        /// Nothing is known of any of them.
        case none
        /// Who knows it couldn't be asked.
        case failed(String)
    }

    /// What is to be done. A value type; safe to share between threads.
    package enum Decision: Equatable, Sendable {
        /// The release is offered to this share.
        case raise(to: Rollout)
        /// The share stays as it is.
        case hold(Reason)
        /// The release must not be used any more: it is bad on this share of the installations, in percent.
        case revoke(badPercent: Double)
        /// The last step is reached.
        case done
    }

    /// Why a share stays as it is.
    package enum Reason: Equatable, Sendable {
        /// The share holds for too short a time, and may be raised at this time.
        case soaking(until: Date)
        /// The feed doesn't say since when the share holds: from now on it does.
        case startsNow
        /// Too few installations have the release.
        case fewInstallations(Double)
        /// Nothing is known of the installations.
        case noEvidence(String)
        /// It is bad on this share of the installations, in percent.
        case bad(percent: Double)
        /// It was revoked before.
        case revoked
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - offer: What the feed says of the release.
    ///   - evidence: What is known of the installations.
    ///   - now: When it is decided.
    package func decide(_ offer: Offer, _ evidence: Evidence, at now: Date) -> Decision {
        guard !offer.isRevoked else { return .hold(.revoked) }
        if let bad = badPercent(evidence), bad > maximumBad.percent {
            return holdsOnly ? .hold(.bad(percent: bad)) : .revoke(badPercent: bad)
        }
        guard let next = steps.first(where: { $0.percent > offer.share.percent }) else { return .done }
        if case .failed(let reason) = evidence { return .hold(.noEvidence(reason)) }
        // Nobody has it: there is nothing to wait for.
        if offer.share.percent == 0 { return .raise(to: next) }
        guard let since = offer.since else { return .hold(.startsNow) }
        // Also where the clock was set back.
        guard now >= since + soak else { return .hold(.soaking(until: since + soak)) }
        guard case .counted(let active, _) = evidence else {
            return .hold(.noEvidence("no installation tells of the release"))
        }
        return active >= Double(least) ? .raise(to: next) : .hold(.fewInstallations(active))
    }

    /// The share of the installations on which the release is bad, in percent; nil when nothing is known. Where fewer have it than must, it
    /// is the share that it would be if it worked on all the others: then one of three that is bad tells nothing yet, and three of three do.
    package func badPercent(_ evidence: Evidence) -> Double? {
        guard case .counted(let active, let bad) = evidence else { return nil }
        return bad / max(active, bad, Double(max(least, 1))) * 100
    }
}
