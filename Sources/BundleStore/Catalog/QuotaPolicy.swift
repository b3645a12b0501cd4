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

/// What an installation removed because the quota had no room for it. A value type; safe to share between threads.
public struct QuotaRemoval: Sendable, Hashable {
    /// The versions, in the order of their removal.
    public var releases: [RemovedRelease] = []
    /// The number of cached responses.
    public var responseCount = 0
    /// The sum of their bodies' lengths in bytes.
    public var responseByteCount: Int64 = 0

    /// Creates an empty value.
    package init() {}
}

/// A version that was removed to make room. A value type; safe to share between threads.
public struct RemovedRelease: Sendable, Hashable, Encodable {
    /// Why it was removed.
    public enum Reason: String, Sendable, Encodable {
        /// The bundle had more retained versions than are kept.
        case keep
        /// The bundle had more versions that were never activated than are kept.
        case neverActivated
        /// The quota had no room for it.
        case quota
    }

    /// The bundle.
    public let name: BundleName
    /// The version.
    public let version: BundleVersion
    /// Why it was removed.
    public let reason: Reason

    /// Creates a value.
    package init(name: BundleName, version: BundleVersion, reason: Reason) {
        self.name = name
        self.version = version
        self.reason = reason
    }
}

extension RemovedRelease: CustomStringConvertible {
    /// What was removed and why, for a person.
    ///
    /// - Parameter limit: What says how many versions are kept; a program may name what sets it.
    package func description(limitedBy limit: String) -> String {
        let explanation =
            switch reason {
            case .keep: "more earlier versions than \(limit) says"
            case .neverActivated: "never activated, and more such versions than \(limit) says"
            case .quota: "the quota had no room for it"
            }
        return "removed \(name)@\(version): \(explanation)"
    }

    /// What was removed and why, for a person.
    public var description: String { description(limitedBy: "the limit") }
}
