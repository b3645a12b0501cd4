import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// What the feed offers for a bundle. A value type; safe to share between threads.
public struct UpdateCheck: Sendable {
    /// The bundle.
    public let name: BundleName
    /// The active version, or nil when there is none.
    public let local: BundleVersion?
    /// After a rollback, or the activation of a lower version, the highest version that was left and isn't installed
    /// again; nil otherwise.
    public let held: BundleVersion?
    /// Whether updates leave the bundle as it is.
    public let isOnHold: Bool
    /// The URL at which the feed was asked for.
    let feed: String
    /// By what the feed is trusted; nil when it needn't be signed.
    let trust: FeedTrust?
    /// Each release that the feed offers, and why it isn't chosen.
    public let decision: UpdateDecision

    /// SHA-256 of the root by which the feed is trusted; nil when it needn't be signed.
    package var root: Digest? { trust?.anchor }

    /// Whether the feed is trusted by that root only once something of it is installed.
    package var isPinnedLater: Bool { trust?.pinning != nil }

    /// Why nothing of the active release may be used any more; nil when it may.
    package var withdrawal: Withdrawal? { local.flatMap(decision.withdrawal) }

    /// Whether the publisher has revoked the active release, and the feed offers nothing in its place.
    public var isRevoked: Bool { decision.revokedActive != nil && decision.feedRejection == nil && available == nil }

    /// What the operator has to know: the feed can't be used, or the active release mustn't be. Nil otherwise.
    ///
    /// Its code is `invalidFeed`.
    public var problem: BundleError? {
        if let rejection = decision.feedRejection {
            let url = URL.reported(feed)
            return BundleError(.invalidFeed, "\(url): \(rejection); nothing of it is used", .acceptOlderFeed)
        }
        guard isRevoked, let local else { return nil }
        return BundleError(
            .invalidFeed,
            "\(name)@\(local) is revoked by its publisher, and the feed offers nothing in its place; it isn't used any more: "
                + "install another release, or remove the bundle"
        )
    }

    /// The highest version in the channel, or nil when the channel is empty.
    public var highest: BundleVersion? { decision.highest }
    /// The release to update to, or nil when there is none.
    public var available: FeedRelease? { decision.choice }
}

/// The result of an update.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version is active now. The last value is nil when nothing had to be fetched.
    case updated(UpdateCheck, InstallReport, DeliveryReport?)
    /// A higher version is installed now, and becomes active later: see ``/BundleStore/ActivationMode``.
    case pending(UpdateCheck, InstallReport, DeliveryReport?)

    /// A higher version would have been fetched; see ``Updater/Configuration/fetches``.
    case available(UpdateCheck)

    /// What the feed offered.
    public var check: UpdateCheck {
        switch self {
        case .upToDate(let check), .updated(let check, _, _), .pending(let check, _, _), .available(let check): check
        }
    }

    /// The bundle that has a higher version; nil when nothing has changed.
    package var updatedName: BundleName? {
        if case .updated(let check, _, _) = self { check.name } else { nil }
    }

    /// What was removed to stay within the quota.
    public var quotaRemoval: QuotaRemoval {
        switch self {
        case .upToDate, .available: QuotaRemoval()
        case .updated(_, let report, _), .pending(_, let report, _): report.quotaRemoval
        }
    }
}

/// Why a bundle isn't checked or updated now, though nothing is wrong with it: it takes place later by itself. It is the
/// bundle's outcome, and isn't recorded as a failure.
///
/// A value type; safe to share between threads. New cases may be added: have a default where you switch over it.
public enum UpdatePostponement: Error, Equatable, Sendable {
    /// The feed has failed, and is asked again at this time.
    case backingOff(until: Date)
    /// The publisher of the feed wants it asked less often, and it is asked again at this time.
    case notDue(until: Date)
    /// A release couldn't be fetched, and is tried again at this time.
    case releaseBackingOff(BundleVersion, until: Date)
    /// Another process is updating the bundle.
    case busy
    /// The link is metered, and this release isn't fetched there; see ``MeteredPolicy``.
    case meteredLink(BundleVersion)
    /// The system is downloading this release, also while the app is suspended; it is installed once it is there.
    case downloading(BundleVersion)

    /// A word for programs.
    public var code: String {
        switch self {
        case .backingOff, .releaseBackingOff: "backingOff"
        case .notDue: "notDue"
        case .busy: "busy"
        case .meteredLink: "meteredLink"
        case .downloading: "downloading"
        }
    }
}

extension UpdatePostponement: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .backingOff: "its feed has failed, and isn't asked again yet"
        case .notDue: "its publisher wants the feed asked less often, and it isn't asked again yet"
        case .releaseBackingOff(let version, _): "\(version) couldn't be fetched, and isn't tried again yet"
        case .busy: "another process is updating it"
        case .meteredLink(let version): "\(version) is there, and isn't fetched while the link is metered"
        case .downloading(let version): "\(version) is being downloaded by the system"
        }
    }
}
