import BundleStore
import BundleUpdate

/// From which earlier releases patches lead to a new one. Pure; a value type, safe to share between threads.
struct PatchBases: Equatable, Sendable {
    /// The most of one release.
    static let maximumCount = 16

    /// How many of each channel, 0 or more.
    let countPerChannel: Int

    /// The highest releases below one: those of each channel that offers it, and those of `stable`, where it may be promoted
    /// to. The releases of other channels don't count: those who follow only `stable` have none of `beta`.
    ///
    /// Revoked ones are among them: their users need an update most.
    ///
    /// - Returns: The highest of each channel first, then the second ones; ``maximumCount`` at most.
    func releases(below entry: FeedEntry, among entries: [FeedEntry]) -> [FeedEntry] {
        let lower = entries.filter { $0.version < entry.version }
        return releases(of: entry.terms.offeringChannels, among: lower)
    }

    /// Those that the next release of any channel can start from.
    func releasesForNext(among entries: [FeedEntry]) -> [FeedEntry] {
        let channels = Set(entries.flatMap(\.terms.offeringChannels)).sorted()
        let next = channels.flatMap { releases(of: [$0], among: entries) }
        return next.lastOfEach(\.version)
    }

    private func releases(of channels: [String], among entries: [FeedEntry]) -> [FeedEntry] {
        let sorted = entries.sorted { $0.version > $1.version }
        let ranked = Self.withStable(channels).map { channel in
            sorted.filter { $0.terms.offeringChannels.contains(channel) }.prefix(countPerChannel)
        }
        var (chosen, versions): ([FeedEntry], Set<String>) = ([], [])
        for rank in 0..<countPerChannel {
            for releases in ranked where rank < releases.count {
                let release = releases[rank]
                if versions.insert(release.version.string).inserted { chosen.append(release) }
            }
        }
        return Array(chosen.prefix(Self.maximumCount))
    }

    private static func withStable(_ channels: [String]) -> [String] {
        channels.contains(BundleManifest.defaultChannel) ? channels : channels + [BundleManifest.defaultChannel]
    }
}
