import BundleServing
import BundleStore
import Foundation

/// Fetches what releases name as `precache`. Thread-safe.
struct Precacher: Sendable {
    let resolver: LiveResolver
    let rules: RuleLayer
    let fallback: OriginFallback
    let limits: PrecacheLimits
    let random: @Sendable () -> Double

    init(
        _ resolver: LiveResolver,
        _ rules: RuleLayer,
        _ fallback: OriginFallback,
        _ limits: PrecacheLimits = PrecacheLimits(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        (self.resolver, self.rules, self.fallback) = (resolver, rules, fallback)
        (self.limits, self.random) = (limits, random)
    }

    /// Fetches what isn't stored yet, as ``LayeredResponder/precache(_:within:isForced:)`` says.
    func run(_ names: Set<BundleName>?, within limit: Duration, isForced: Bool) async -> [PrecacheReport] {
        let elapsed = fallback.clock.stopwatch()
        var reports: [PrecacheReport] = []
        for release in releases(names) {
            let round = PrecacheRound(self, release)
            let lock = fallback.coordinator.fetcher == nil ? nil : fallback.cache.store.lockPrecache(of: release.name)
            let fetchedCount = lock == nil ? 0 : await round.run(within: limit - elapsed(), isForced: isForced)
            reports.append(
                await round.report(fetched: fetchedCount, isBusy: lock == nil && fallback.coordinator.fetcher != nil)
            )
            withExtendedLifetime(lock) {}
        }
        // What is fetched must be there after the end of the process.
        if !reports.isEmpty { await fallback.cache.flush() }
        return reports
    }

    /// What is stored, without fetching anything.
    func reports(_ names: Set<BundleName>?) async -> [PrecacheReport] {
        var reports: [PrecacheReport] = []
        for release in releases(names) { reports.append(await PrecacheRound(self, release).report()) }
        return reports
    }

    /// The releases that are served and name something.
    private func releases(_ names: Set<BundleName>?) -> [Release] {
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

/// What was fetched ahead for a bundle, as JSON documents have it. A value type; safe to share between threads.
package struct PrecacheSummary: Encodable, Sendable {
    /// The bundle.
    package let name: BundleName
    /// The number of URLs that its manifest names, of those that are stored, and of those that were fetched.
    package let urlCount: Int, storedCount: Int, fetchedCount: Int
    /// Why the first of those that aren't stored isn't.
    package let failure: String?

    /// Summarises a report.
    package init(_ report: PrecacheReport) {
        name = report.name
        urlCount = report.items.count
        (storedCount, fetchedCount) = (report.storedCount, report.fetchedCount)
        failure = report.missing.lazy.compactMap(\.failure).first
    }
}
