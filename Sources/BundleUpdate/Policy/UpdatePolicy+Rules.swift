import BundleStore

extension UpdatePolicy {
    private typealias Rule = @Sendable (FeedRelease, Question) -> UpdateRejection?

    /// In the order in which they are asked: what holds for all clients of the feed first, then what the bundle and its
    /// operator say, then what may change by itself.
    private static let rules: [Rule] = [
        sequence, revocation, preRelease, channel, version, hold, heldBack, shell, failure, rollout,
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
        return .outsideRollout(rollout, cohort: cohort)
    }
}
