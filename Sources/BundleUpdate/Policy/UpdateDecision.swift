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
        /// A group that it is offered to, and that this installation is in; nil for none.
        package let group: String?
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

    /// The versions that are offered to this installation, installed ones and those that it can't install included; the highest
    /// first.
    package var offered: [BundleVersion] {
        candidates.filter(\.isOffered).map(\.release.version)
    }

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
        for candidate in candidates {
            switch candidate.rejection {
            case .failedBefore(let reason): return reason
            case .untrusted(let reason): return "\(candidate.release.version) isn't signed by its publisher: \(reason)"
            default: continue
            }
        }
        return revokedActive.map { "\($0), which is active, is revoked, and nothing can be installed in its place" }
    }
}

extension UpdateDecision.Candidate {
    /// Whether it is meant for this installation.
    fileprivate var isOffered: Bool {
        switch rejection {
        case nil, .lowerOrEqual, .onHold, .heldBack, .shellTooOld, .failedBefore, .lowerThanChoice: true
        default: false
        }
    }

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

/// Why a release that a feed offers isn't chosen. New cases may be added: have a default where you switch over it.
///
/// A value type; safe to share between threads. The cases are in the order in which ``UpdateDecision`` looks for them:
/// the first that applies is told.
public enum UpdateRejection: Equatable, Sendable {
    /// The feed is older than one that was seen before at its URL. `sequence` is nil for a feed without a number.
    case olderFeed(sequence: Int64?, seen: Int64)
    /// The publisher has revoked the release.
    case revoked
    /// It is a pre-release, and its entry names no channel.
    case unnamedPreRelease
    /// It is offered in other channels than the one that the bundle follows.
    case otherChannel([String])
    /// It doesn't exceed the active version.
    case lowerOrEqual(active: BundleVersion)
    /// The operator has put the bundle on hold.
    case onHold
    /// It doesn't exceed a version that was left by a rollback, or for a lower one.
    case heldBack(BundleVersion)
    /// The publisher signs the feed, and doesn't vouch for the release.
    case untrusted(reason: String)
    /// It needs a newer shell. `shell` is nil when the program hasn't said which one it is.
    case shellTooOld(minimum: BundleVersion, shell: BundleVersion?)
    /// Its archive was fetched before, and can't be used.
    case failedBefore(reason: String)
    /// It is offered to a share of the installations that this one isn't part of. `cohort` is nil when the store can't
    /// keep its place among them.
    case outsideRollout(Rollout, cohort: Cohort?)
    /// A higher version is chosen.
    case lowerThanChoice(BundleVersion)

    /// A word for programs.
    public var code: String {
        switch self {
        case .olderFeed: "olderFeed"
        case .revoked: "revoked"
        case .unnamedPreRelease: "unnamedPreRelease"
        case .otherChannel: "otherChannel"
        case .lowerOrEqual: "lowerOrEqual"
        case .onHold: "onHold"
        case .heldBack: "heldBack"
        case .untrusted: "untrusted"
        case .shellTooOld: "shellTooOld"
        case .failedBefore: "failedBefore"
        case .outsideRollout: "outsideRollout"
        case .lowerThanChoice: "lowerThanChoice"
        }
    }
}

extension UpdateRejection: CustomStringConvertible {
    /// The reason in words, without a capital and a full stop.
    public var description: String {
        switch self {
        case .olderFeed(let sequence, let seen):
            "the feed is older than one seen: it has \(sequence.map { "number \($0)" } ?? "no number"), after \(seen)"
        case .revoked: "revoked by its publisher"
        case .unnamedPreRelease: "a pre-release whose entry names no channel"
        case .otherChannel(let channels): "offered in \(Self.list(channels)) only"
        case .lowerOrEqual(let active): "doesn't exceed \(active), which is active"
        case .onHold: "the bundle is on hold"
        case .heldBack(let version): "held back: only a version above \(version) is taken"
        case .untrusted(let reason): "not signed by its publisher: \(Printable.line(reason))"
        case .shellTooOld(let minimum, let shell?): "needs shell \(minimum), and this one is \(shell)"
        case .shellTooOld(let minimum, nil): "needs shell \(minimum), and this one's version isn't known"
        case .failedBefore(let reason): "failed before: \(Printable.line(reason))"
        case .outsideRollout(let rollout, let cohort?):
            "offered to \(rollout) of the installations; this one is at \(Self.hundredths(cohort.position))%"
        case .outsideRollout(let rollout, nil):
            "offered to \(rollout) of the installations; the store can't keep this one's place among them"
        case .lowerThanChoice(let choice): "lower than \(choice), which is chosen"
        }
    }

    private static func list(_ channels: [String]) -> String { channels.map(Printable.line).joined(separator: ", ") }

    /// Rounded down: an installation at 10.00 % isn't among the first 10 %.
    private static func hundredths(_ percent: Double) -> String {
        let number = Int(percent * 100)
        let fraction = number % 100
        return "\(number / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
