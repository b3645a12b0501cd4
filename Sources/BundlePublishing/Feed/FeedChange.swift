import BundleStore
import BundleUpdate
import Foundation

/// A publisher's change to a feed. Pure; a value type, safe to share between threads.
package enum FeedChange: Equatable, Sendable {
    /// The release is no longer offered, and its archive is removed a day later.
    case unpublish(BundleVersion)
    /// A release of one channel is offered in another one too. Those who follow the first one go on being offered it.
    case promote(BundleVersion, from: String, to: String)
    /// The release is offered to this share of the installations, and whatever it is, to these groups; nil for the groups that it has.
    case rollOut(BundleVersion, Rollout, groups: [String]? = nil)
    /// The same from one share to another, where nobody has changed that since it was read.
    case advance(BundleVersion, from: Rollout, to: Rollout)
    /// The release must not be used any more. That can't be undone: a corrected release has a higher version.
    case revoke(BundleVersion)
    /// This release is the highest again in the channels that offer it: higher ones there are revoked.
    case rollBack(to: BundleVersion)
    /// Devices check no more often than once in this time in seconds, from 1 to ``/BundleUpdate/Feed/maximumPoll``; nil for as often as their
    /// operators want it.
    case poll(Int64?)

    /// The releases of a feed after the change.
    ///
    /// - Parameter now: When that is.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when the feed doesn't offer the release, `invalidArgument` when
    ///   not so that it could be changed this way.
    package func applied(to entries: [FeedEntry], at now: Date) throws(BundleError) -> [FeedEntry] {
        switch self {
        case .unpublish(let version):
            _ = try entries.offering(version)
            return entries.filter { $0.version.string != version.string }
        case .promote(let version, let source, let target):
            let entry = try Self.usable(version, in: entries)
            guard entry.terms.offeringChannels.contains(source) else {
                throw BundleError(
                    .invalidArgument,
                    "\(version) isn't offered in \(source), only in \(Self.list(entry.terms.offeringChannels))"
                )
            }
            return Self.changing(entry, in: entries) { $0.channels = Self.adding(target, to: $0.offeringChannels) }
        case .rollOut(let version, let rollout, let groups):
            let entry = try Self.usable(version, in: entries)
            return Self.changing(entry, in: entries) { terms in
                terms.rollout = rollout
                terms.noteRollout(after: entry.terms, at: now)
                if let groups { terms.groups = groups }
            }
        case .advance(let version, let share, let next):
            let present = try Self.usable(version, in: entries).terms.rollout
            guard present == share else {
                throw BundleError(
                    .storeBusy,
                    "\(version) is offered to \(present) of the installations by now, and not to \(share); try again"
                )
            }
            return try Self.rollOut(version, next).applied(to: entries, at: now)
        case .revoke(let version):
            return Self.changing(try entries.offering(version), in: entries) { $0.isRevoked = true }
        case .rollBack(let version):
            return Self.revoking(above: try Self.usable(version, in: entries), in: entries)
        case .poll:
            return entries
        }
    }

    private static func usable(_ version: BundleVersion, in entries: [FeedEntry]) throws(BundleError) -> FeedEntry {
        let entry = try entries.offering(version)
        guard !entry.terms.isRevoked else {
            throw BundleError(.invalidArgument, "\(version) was revoked; publish a higher version")
        }
        return entry
    }

    private static func changing(
        _ entry: FeedEntry,
        in entries: [FeedEntry],
        _ change: (inout ReleaseTerms) -> Void
    ) -> [FeedEntry] {
        entries.map { other in
            var changed = other
            if other.version.string == entry.version.string { change(&changed.terms) }
            return changed
        }
    }

    private static func revoking(above entry: FeedEntry, in entries: [FeedEntry]) -> [FeedEntry] {
        let channels = Set(entry.terms.offeringChannels)
        return entries.map { other in
            var changed = other
            let isRival = other.version > entry.version && !channels.isDisjoint(with: other.terms.offeringChannels)
            if isRival { changed.terms.isRevoked = true }
            return changed
        }
    }

    private static func adding(_ channel: String, to channels: [String]) -> [String] {
        channels.contains(channel) ? channels : channels + [channel]
    }

    private static func list(_ words: [String]) -> String { words.map(Printable.line).joined(separator: ", ") }
}

extension ReleaseTerms {
    /// Notes since when the release is offered to its share, which by another change than of the share stays as it is.
    ///
    /// - Parameters:
    ///   - earlier: What was offered before; nil for nothing.
    ///   - now: When that is.
    mutating func noteRollout(after earlier: ReleaseTerms?, at now: Date) {
        let time = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        let known = earlier?.rollout == rollout ? earlier?.rolloutSince : nil
        rolloutSince = rollout == .everyone ? nil : known ?? time
    }
}

/// What a publisher's change has come to. A value type; safe to share between threads.
package struct FeedChangeReport: Equatable, Sendable {
    /// The feed, as its folder names it.
    package let feedName: String
    /// The feed's sequence number.
    package let sequence: Int64
    /// The releases that are offered otherwise than before, as they are now; the highest first.
    package let changed: [FeedEntry]
    /// The least time in seconds between the checks of a device; nil when the feed doesn't say.
    package let poll: Int64?
    /// Whether that was changed.
    package let isPollChanged: Bool
    /// The versions that are no longer offered, the highest first.
    package let removed: [BundleVersion]
    /// The archives that were removed, with their content lists and patches, sorted.
    package let removedArchives: [String]
    /// Those that the feed has stopped naming now, and that stay for ``WithdrawnFiles/period``, sorted.
    package let withdrawnArchives: [String]
    /// Until when devices take what the online key has signed; nil for a feed that isn't signed.
    package let signedUntil: Date?
}
