import BundleStore
import Foundation

/// Decides, from what is installed and what is offered, whether to update. Pure: no clock, no network, no store.
package enum UpdatePolicy {
    /// What a rule looks at.
    struct Question {
        let installed: InstalledState
        let feed: Feed
        let device: DeviceState
        /// Whether the feed says that the active version must not be used any more.
        let isActiveRevoked: Bool
    }

    /// Chooses the highest release that no rule rejects. It exceeds the active version, unless that is revoked: then it
    /// may be a lower one, so that no bundle stays on a revoked version.
    ///
    /// - Parameters:
    ///   - installed: The bundle as it is.
    ///   - feed: The publisher's feed.
    ///   - device: The machine.
    ///   - now: When it is decided.
    package static func decide(
        installed: InstalledState,
        feed: Feed,
        device: DeviceState,
        now: Date
    ) -> UpdateDecision {
        let question = Question(
            installed: installed,
            feed: feed,
            device: device,
            isActiveRevoked: feed.releases.contains {
                $0.terms.isRevoked && $0.version.string == installed.active?.string
            }
        )
        let judged = feed.releases.sorted { $0.version > $1.version }.map { ($0, rejection(of: $0, question)) }
        let choice = judged.first { $0.1 == nil }?.0
        let feedRejection = rejection(of: feed, seen: installed.highestSequence)
        return UpdateDecision(
            date: now,
            feedRejection: feedRejection,
            revokedActive: question.isActiveRevoked ? installed.active : nil,
            highest: feedRejection == nil ? highest(in: feed, installed.channel) : nil,
            candidates: judged.map { release, rejection in
                let isBelowChoice = rejection == nil && release != choice
                return UpdateDecision.Candidate(
                    release: release,
                    rejection: isBelowChoice ? choice.map { .lowerThanChoice($0.version) } : rejection
                )
            }
        )
    }

    private static func highest(in feed: Feed, _ channel: String) -> BundleVersion? {
        feed.releases.filter { $0.isOffered(in: channel) && !$0.terms.isRevoked }.map(\.version).max()
    }
}
