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
