import BundleStore
import BundleUpdate

/// Which releases a feed goes on offering. Pure; a value type, safe to share between threads.
package struct FeedRetention: Equatable, Sendable {
    /// How many releases of each channel stay, 1 or more.
    package let releaseCount: Int

    package init(releaseCount: Int) {
        self.releaseCount = releaseCount
    }

    /// The highest releases of each channel, and the highest one that is offered to all of it: the others may be offered to few.
    /// All revoked ones stay: those who use one must learn of it.
    ///
    /// - Parameter published: A version that stays in any case.
    func kept(of entries: [FeedEntry], sparing published: BundleVersion) -> [FeedEntry] {
        let channels = Set(entries.flatMap(\.terms.offeringChannels))
        let newest = channels.flatMap { channel in
            let offered = entries.filter { !$0.terms.isRevoked && $0.terms.offeringChannels.contains(channel) }
                .sorted { $0.version > $1.version }
            return offered.prefix(releaseCount) + [offered.first(where: \.terms.isForEveryone)].compactMap(\.self)
        }
        let kept = Set(newest.map(\.version.string) + [published.string])
        return entries.filter { $0.terms.isRevoked || kept.contains($0.version.string) }
    }

    /// The releases of a feed whose files are needed. Nobody installs a revoked one: its archive is only good for making
    /// patches that lead away from it.
    ///
    /// - Parameter bases: From which releases patches are made.
    func needed(among entries: [FeedEntry], _ bases: PatchBases) -> [FeedEntry] {
        let starts = Set(bases.releasesForNext(among: entries).map(\.version.string))
        return entries.filter { !$0.terms.isRevoked || starts.contains($0.version.string) }
    }
}

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

extension FeedDocument {
    /// The names of the archives that the publication of a release reads: those that patches lead from, the one before it, and one of its own
    /// version that the feed doesn't name any more.
    package func archiveNames(
        for draft: ReleaseDraft,
        fileExtension: String,
        patchCount: Int
    ) -> Set<String> {
        let earlier = entries.filter { $0.version < draft.version }
        let bases = PatchBases(countPerChannel: patchCount).releasesForNext(among: earlier) + earlier.prefix(1)
        let isOffered = entries.contains { $0.version == draft.version }
        let own = isOffered ? [] : ["\(name)-\(draft.version).\(fileExtension)"]
        return Set(bases.map { ListedArchives.fileName(of: $0.source) } + own)
    }
}
