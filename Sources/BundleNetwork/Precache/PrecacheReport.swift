import BundleStore
import Foundation

/// What has become of the URLs that a release names in `precache`. A value type; safe to share between threads.
public struct PrecacheReport: Sendable {
    /// One of the URLs.
    public struct Item: Sendable {
        /// As the manifest has it.
        public let url: String
        /// Whether it can be responded to without a network, redirects included.
        public let isStored: Bool
        /// Why the last attempt failed, in one line; nil when it succeeded or there was none.
        public let failure: String?
        /// When that was; nil when there was none.
        public let triedAt: Date?
        /// When it is tried again; nil when that is as soon as possible, and when ``isGivenUp``.
        public let nextTry: Date?
        /// Whether it isn't tried again for this version, unless the release is installed again.
        public let isGivenUp: Bool

        init(_ url: String, isStored: Bool, _ attempt: PrecacheAttempt?) {
            self.url = url
            self.isStored = isStored
            failure = isStored ? nil : attempt?.failure
            triedAt = attempt?.date
            nextTry = isStored ? nil : attempt?.nextDate
            isGivenUp = !isStored && attempt.map { $0.nextDate == nil } ?? false
        }
    }

    /// The bundle.
    public let name: BundleName
    /// The version that is served.
    public let version: BundleVersion
    /// In the manifest's order.
    public let items: [Item]
    /// How many the call has fetched.
    public let fetchedCount: Int
    /// Whether another process was fetching them, so that this one didn't.
    public let isBusy: Bool

    /// How many are stored.
    public var storedCount: Int { items.count { $0.isStored } }
    /// Those that aren't stored.
    public var missing: [Item] { items.filter { !$0.isStored } }
}
