/// Decides what goes when a store has more bytes than it may. Pure: no files, no catalog.
enum QuotaPolicy {
    /// What goes, and what is left.
    struct Decision: Sendable, Equatable {
        /// The responses that are forgotten.
        var responses: [Int64] = []
        /// The releases that are forgotten.
        var releases: [Int64] = []
        /// The bytes of what stays: more than the quota when giving up everything that may go doesn't suffice.
        var byteCount: Int64
    }

    /// First the oldest responses, then the releases activated the longest ago that aren't pinned; no more than needed.
    ///
    /// - Parameter quota: In bytes.
    static func decide(_ inventory: StorageInventory, quota: Int64) -> Decision {
        var decision = Decision(byteCount: inventory.byteCount)
        for response in inventory.responses where decision.byteCount > quota {
            decision.responses.append(response.id)
            decision.byteCount -= response.byteCount
        }
        for release in inventory.releases where release.isRemovable && decision.byteCount > quota {
            decision.releases.append(release.id)
            decision.byteCount -= release.byteCount
        }
        return decision
    }
}
