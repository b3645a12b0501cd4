import BundleStore
import Foundation

/// What ``Updater`` makes of a feed: each release that it offers, why it isn't chosen, and the one that is.
///
/// A value type; safe to share between threads.
public struct UpdateDecision: Equatable, Sendable {
    /// A release of the feed.
    public struct Candidate: Equatable, Sendable {
        /// The release.
        public let release: FeedRelease
        /// Why it isn't chosen; nil for the one that is.
        public let rejection: UpdateRejection?
    }

    /// When it was decided.
    public let date: Date
    /// Why the feed as a whole isn't used; nil when it is.
    public let feedRejection: UpdateRejection?
    /// The active version, if its publisher has revoked it.
    public let revokedActive: BundleVersion?
    /// The highest version that the bundle's channel offers; nil when it offers none, or the feed isn't used.
    public let highest: BundleVersion?
    /// Every release of the feed, the highest version first.
    public let candidates: [Candidate]

    /// The release to update to, nil when there is none.
    public var choice: FeedRelease? { candidates.first { $0.rejection == nil }?.release }

    /// Why nothing of a release may be used any more; nil when it may. A critical release ends the use of those before it
    /// where it is active, exceeded or offered: not where the operator has put the bundle on hold, or where it was left
    /// again.
    package func withdrawal(of version: BundleVersion) -> Withdrawal? {
        guard feedRejection == nil else { return nil }
        if candidates.contains(where: { $0.revokes(version) }) { return Withdrawal(of: version, .revoked, since: date) }
        let critical = candidates.first { $0.endsUse(of: version) }?.release.version
        return critical.map { Withdrawal(of: version, .critical, successor: $0, since: date) }
    }

    /// Why there is no update, if that isn't as it should be: the feed is older than one seen, the release that would be
    /// chosen otherwise can't be used, or there is nothing in place of a revoked one. Nil otherwise.
    public var failure: String? {
        if let feedRejection { return feedRejection.description }
        guard choice == nil else { return nil }
        for case .failedBefore(let reason)? in candidates.map(\.rejection) { return reason }
        return revokedActive.map { "\($0), which is active, is revoked, and nothing can be installed in its place" }
    }
}

extension UpdateDecision.Candidate {
    fileprivate func revokes(_ version: BundleVersion) -> Bool {
        release.terms.isRevoked && release.version.string == version.string
    }

    /// Whether it is critical, and has taken the place of a release or is on its way there.
    fileprivate func endsUse(of version: BundleVersion) -> Bool {
        guard release.terms.isCritical, release.version > version else { return false }
        switch rejection {
        case nil, .lowerThanChoice, .failedBefore, .lowerOrEqual: return true
        default: return false
        }
    }
}
