import BundleServing
import BundleStore
import Foundation

extension LayeredResponder {
    /// Fetches what the releases that are served name as `precache` and isn't stored yet, so that it is there without a
    /// network. For an app after an installation, after an update, at its start, and when the network returns.
    ///
    /// It fetches as ``load(_:isPage:)`` does, and follows redirects below the bundle's origins, from https to https
    /// only. What fails is tried again by a later call: without a response after 30 seconds at first, with pauses that
    /// double up to an hour; up to ten times where the origin responds with what can't be stored. Each release receives
    /// at most 256 MiB at a time.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - limit: How long it takes at most; what there is no time for is left for the next call. Default: 5 minutes.
    ///   - isForced: Whether to try also what isn't due yet.
    /// - Returns: What is stored then, for each bundle that names URLs, by name. It never fails: why a URL isn't stored
    ///   is in its report.
    @discardableResult
    public func precache(
        _ names: Set<BundleName>? = nil,
        within limit: Duration = .seconds(300),
        isForced: Bool = false
    ) async -> [PrecacheReport] {
        await precache(names, within: limit, isForced: isForced, PrecacheLimits()) { .random(in: 0..<1) }
    }

    /// The same with other limits.
    func precache(
        _ names: Set<BundleName>? = nil,
        within limit: Duration = .seconds(300),
        isForced: Bool = false,
        _ limits: PrecacheLimits,
        random: @escaping @Sendable () -> Double
    ) async -> [PrecacheReport] {
        let elapsed = fallback.clock.stopwatch()
        var reports: [PrecacheReport] = []
        for release in precachingReleases(names) {
            let round = PrecacheRound(self, release, limits, random: random)
            let lock = fallback.fetcher == nil ? nil : fallback.cache.store.lockPrecache(of: release.name)
            let fetchedCount = lock == nil ? 0 : await round.run(within: limit - elapsed(), isForced: isForced)
            reports.append(await round.report(fetched: fetchedCount, isBusy: lock == nil && fallback.fetcher != nil))
            withExtendedLifetime(lock) {}
        }
        // What is fetched must be there after the end of the process.
        if !reports.isEmpty { await fallback.cache.flush() }
        return reports
    }

    /// What is stored of what the releases that are served name as `precache`, without fetching anything.
    ///
    /// - Parameter names: The bundles; nil for all.
    public func precacheReports(_ names: Set<BundleName>? = nil) async -> [PrecacheReport] {
        var reports: [PrecacheReport] = []
        for release in precachingReleases(names) {
            reports.append(await PrecacheRound(self, release, PrecacheLimits(), random: { 0 }).report())
        }
        return reports
    }

    private func precachingReleases(_ names: Set<BundleName>?) -> [Release] {
        _ = try? resolver.refresh()
        return fallback.cache.store.snapshot.sortedBundles
            .filter { names?.contains($0.name) ?? true }
            .compactMap { $0.active }
            .filter { !$0.manifest.network.precache.isEmpty }
    }
}

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
