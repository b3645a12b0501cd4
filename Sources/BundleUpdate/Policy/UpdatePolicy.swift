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
                    rejection: isBelowChoice ? choice.map { .lowerThanChoice($0.version) } : rejection,
                    group: device.group(of: release)
                )
            }
        )
    }

    private static func highest(in feed: Feed, _ channel: String) -> BundleVersion? {
        feed.releases.filter { $0.isOffered(in: channel) && !$0.terms.isRevoked }.map(\.version).max()
    }
}

extension UpdatePolicy {
    private typealias Rule = @Sendable (FeedRelease, Question) -> UpdateRejection?

    /// In the order in which they are asked: what holds for all clients of the feed first, then what the bundle and its
    /// operator say, then what may change by itself.
    private static let rules: [Rule] = [
        sequence, revocation, preRelease, channel, version, hold, heldBack, trust, shell, failure, rollout,
    ]

    /// Why a release can't be chosen; nil when it can.
    static func rejection(of release: FeedRelease, _ question: Question) -> UpdateRejection? {
        for rule in rules {
            if let rejection = rule(release, question) { return rejection }
        }
        return nil
    }

    /// Why no release of a feed can be chosen; nil when one can.
    static func rejection(of feed: Feed, seen: Int64?) -> UpdateRejection? {
        guard let seen, (feed.sequence ?? 0) < seen else { return nil }
        return .olderFeed(sequence: feed.sequence, seen: seen)
    }

    private static let sequence: Rule = { _, question in
        rejection(of: question.feed, seen: question.installed.highestSequence)
    }

    private static let revocation: Rule = { release, _ in release.terms.isRevoked ? .revoked : nil }

    private static let preRelease: Rule = { release, _ in release.lacksNamedChannel ? .unnamedPreRelease : nil }

    private static let channel: Rule = { release, question in
        let channels = release.terms.offeringChannels
        return channels.contains(question.installed.channel) ? nil : .otherChannel(channels)
    }

    private static let version: Rule = { release, question in
        guard let active = question.installed.active, release.version <= active, !question.isActiveRevoked else {
            return nil
        }
        return .lowerOrEqual(active: active)
    }

    private static let hold: Rule = { _, question in question.installed.isOnHold ? .onHold : nil }

    private static let heldBack: Rule = { release, question in
        guard let held = question.installed.held, release.version <= held else { return nil }
        // What is lower than a revoked active version wasn't left.
        if let active = question.installed.active, release.version < active { return nil }
        return .heldBack(held)
    }

    private static let trust: Rule = { release, _ in
        if case .refused(let reason) = release.trust { .untrusted(reason: reason) } else { nil }
    }

    private static let shell: Rule = { release, question in
        guard let minimum = release.terms.minimumShell else { return nil }
        if let shell = question.device.shell, shell >= minimum { return nil }
        return .shellTooOld(minimum: minimum, shell: question.device.shell)
    }

    private static let failure: Rule = { release, question in
        question.installed.failures.first { $0.digest == release.digest }.map { .failedBefore(reason: $0.reason) }
    }

    private static let rollout: Rule = { release, question in
        let (rollout, cohort) = (release.terms.rollout, question.device.cohort)
        if cohort?.isIncluded(in: rollout) ?? (rollout == .everyone) { return nil }
        if question.device.group(of: release) != nil { return nil }
        return .outsideRollout(rollout, cohort: cohort)
    }
}

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

/// What ``UpdatePolicy`` has to know of the machine. A value type; safe to share between threads.
package struct DeviceState: Equatable, Sendable {
    /// The installation's place among all that have the bundle; nil when it can't be kept, and the installation gets
    /// only what is offered to all.
    package var cohort: Cohort?
    /// The version of the shell that shows the bundle; nil when the program hasn't said it.
    package var shell: BundleVersion?
    /// The groups that the installation is in: it gets what is offered to one of them at any share.
    package var groups: Set<String>

    package init(cohort: Cohort?, shell: BundleVersion? = nil, groups: Set<String> = []) {
        self.cohort = cohort
        self.shell = shell
        self.groups = groups
    }

    /// The first group of a release that the installation is in; nil for none. Groups are compared exactly, case included.
    func group(of release: FeedRelease) -> String? { release.terms.groups.first(where: groups.contains) }
}

/// The place of an installation among all that have a bundle, for releases that are offered to a share of them.
///
/// It is the same in each run and for each release, and evenly distributed. So a raised share only adds installations,
/// and those that are first for one bundle aren't for another. A value type; safe to share between threads.
public struct Cohort: Equatable, Sendable {
    /// From 0 up to, and not including, 100, in steps of less than a millionth.
    public let position: Double

    /// - Parameters:
    ///   - installation: What tells the installation from others.
    ///   - bundle: The bundle.
    package init(of installation: InstallationIdentifier, for bundle: BundleName) {
        let digest = Digest(of: Array("\(installation.string)\0\(bundle)".utf8))
        // 48 bits have an exact quotient below 1, and the product stays below 100.
        let bits = digest.withUnsafeBytes { $0.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(position: Double(bits) / Double(UInt64(1) << 48) * 100)
    }

    /// Takes a position as it is.
    package init(position: Double) {
        self.position = position
    }

    /// Whether a release that is offered to this share is offered to the installation.
    public func isIncluded(in rollout: Rollout) -> Bool { position < rollout.percent }
}
