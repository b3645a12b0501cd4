import BundleStore
import Foundation
import HTTPTypes

/// A stored response from the network, for those who want to know what there is. A value type; safe to share between threads.
public struct StoredEntry: Hashable, Sendable {
    /// The requested URL.
    public let url: String
    /// The bundle and the version that it was fetched under.
    public let release: ReleaseName
    /// How many bytes of its body are stored.
    public let byteCount: Int64
    /// When it was stored.
    public let storedAt: Date
    /// The status; nil when what the cache has noted of the response can't be read.
    public let status: Int?
    /// The value of `Content-Type`.
    public let mediaType: String?
    /// How long it stays fresh, in whole seconds; less than 0 once it is stale, nil when that isn't known.
    public let secondsLeft: Int?
    /// Whether it is a copy that a network rule keeps beside the cache, and that is sent only when the network doesn't respond
    /// (`"offline": "always"`).
    public let isOfflineCopy: Bool

    /// - Parameter now: The time at which freshness is evaluated.
    fileprivate init(_ response: CachedResponse, policy: CachePolicy, now: Date) {
        let stored = StoredResponse(encoded: response.metadata)
        url = response.url
        release = ReleaseName(response.bundle, response.version)
        (byteCount, storedAt) = (response.byteCount, response.storedAt)
        status = stored?.status
        isOfflineCopy = stored?.isOfflineCopy ?? false
        mediaType = stored?.fields[.contentType]
        secondsLeft = stored.flatMap {
            Int(exactly: policy.freshness(of: $0, now: now).timeToLive.rounded(.down))
        }
    }
}

extension BundleStore {
    /// The stored responses, the latest first. Waits until those that are being written are on the disk.
    ///
    /// - Parameters:
    ///   - name: The bundle that they were fetched under; nil for all.
    ///   - now: The time at which freshness is evaluated.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func storedEntries(of name: BundleName?, policy: CachePolicy, now: Date) throws -> [StoredEntry] {
        try cachedResponses().filter { name == nil || $0.bundle == name }
            .map { StoredEntry($0, policy: policy, now: now) }
    }
}
