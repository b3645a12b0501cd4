/// Decides what is removed when a store exceeds its quota. Pure: no files, no catalog.
enum QuotaPolicy {
    /// What is removed, and what is left.
    struct Decision: Sendable, Equatable {
        /// The responses to remove.
        var responses: [Int64] = []
        /// The releases to remove.
        var releases: [Int64] = []
        /// The bytes of what is kept: more than the quota when removing everything removable doesn't suffice.
        var byteCount: Int64
    }

    /// Removes the oldest responses first, then the least recently activated releases that aren't pinned; no more than
    /// needed.
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
