import Foundation

/// What has come of a bundle's releases and updates since it was installed, in numbers, and what its feed offers. A value type; safe
/// to share between threads.
package struct UpdateFigures: Sendable, Equatable {
    /// How often something has happened.
    package struct Count: Sendable, Equatable {
        package let value: Int64
        /// When it happened first.
        package let since: Date
    }

    /// What is counted of a release.
    package enum ReleaseEvent: Hashable, Sendable {
        /// It has become active, and not by a rollback.
        case activated
        /// It was found to work.
        case confirmed
        /// It was found not to work.
        case markedBad
        /// It was left for an earlier one.
        case rolledBack(RollbackCause)
    }

    /// The counts of each version that the store has, or that its journal remembers.
    package internal(set) var releases: [String: [ReleaseEvent: Count]] = [:]
    /// How many checks and updates have failed, by the reason.
    package internal(set) var failures: [UpdateFailureReason: Count] = [:]
    /// When a check or an update has succeeded last; nil when none has, or when that was more than five minutes in the future.
    package internal(set) var succeededAt: Date?
    /// The versions that the feed offers to this installation, the highest first, as it was read last: at most
    /// ``maximumOfferCount``. Nil when it was never read.
    package internal(set) var offered: [BundleVersion]?

    /// Those of a bundle that nothing is known of.
    package init() {}

    /// How many offered versions are known.
    package static let maximumOfferCount = 100

    /// How many versions the feed offers to this installation that are higher than one.
    ///
    /// - Parameter active: The version; nil for none, which all are higher than.
    /// - Returns: Nil when the feed was never read.
    package func versionsBehind(_ active: BundleVersion?) -> Int? {
        offered.map { $0.count { version in active.map { $0 < version } ?? true } }
    }
}

/// Why an earlier release has become active again.
package enum RollbackCause: String, CaseIterable, Sendable {
    /// The release that was left wasn't confirmed within the time, or in the starts, that its manifest gives it.
    case unconfirmedTime = "not_confirmed_in_time"
    case unconfirmedStarts = "not_confirmed_in_starts"
    /// A person, a shell or an app has marked it bad.
    case markedBad = "marked_bad"
    /// A person or an app has asked for the earlier release.
    case request = "requested"

    /// - Parameter verdict: What the journal says of the release that was left; nil when it wasn't marked bad.
    init(_ verdict: UpdateEvent?) {
        switch verdict.map({ ProbationFailure(reason: $0.detail ?? "") }) {
        case .time: self = .unconfirmedTime
        case .starts: self = .unconfirmedStarts
        case .some(nil): self = .markedBad
        case nil: self = .request
        }
    }
}

/// Why a check or an update has failed, for those who count failures.
package enum UpdateFailureReason: String, CaseIterable, Sendable {
    /// The server, or what it sent, couldn't be had.
    case network
    /// The feed is wrong, or another bundle's.
    case feed
    /// The feed isn't signed as it must be.
    case signature
    /// The release was fetched, and can't be used.
    case release
    /// Another bundle has the release's origins.
    case conflict
    /// There is no room for the release.
    case space
    /// The store can't be used.
    case store
    /// The feed was read, and nothing of it may be installed that should be.
    case refused
    /// Something else.
    case other

    /// The reason that an error's code tells.
    package init(_ code: BundleError.Code) {
        switch code {
        case .networkUnavailable, .unexpectedResponse: self = .network
        case .invalidFeed: self = .feed
        case .untrusted: self = .signature
        case .invalidArchive, .invalidManifest, .tooLarge, .versionConflict, .newerFormat: self = .release
        case .originConflict: self = .conflict
        case .quotaExceeded: self = .space
        case .storeUnavailable, .storeBusy, .storeDamaged: self = .store
        default: self = .other
        }
    }
}
