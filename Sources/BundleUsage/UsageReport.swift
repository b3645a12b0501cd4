import BundleStore
import Foundation
import HTTPCore

/// What a store's bundles were used for: requests by layer, bytes, misses and slow URLs, as the endpoint and
/// apps have counted them.
///
/// What is counted is written once a minute and when a program ends. URLs are kept without their queries. Numbers are kept
/// by the hour for 3 days and by the day for 90 days, lists by the day for 30 days. It is also the JSON document of the
/// statistics, with the same keys. A value type; safe to share between threads.
public struct UsageReport: Sendable, Hashable, Encodable {
    /// How many requests each layer has responded to.
    public struct Requests: Sendable, Hashable, Encodable {
        /// All of them.
        public internal(set) var total: Int64 = 0
        /// From the active releases, and from earlier ones.
        public internal(set) var active: Int64 = 0, retained: Int64 = 0
        /// From the cache, from the network, and from the cache though it was stale.
        public internal(set) var cache: Int64 = 0, network: Int64 = 0, stale: Int64 = 0
        /// Those that nothing had a response to.
        public internal(set) var miss: Int64 = 0
        /// Those that the program itself has responded to: errors, redirects.
        public internal(set) var server: Int64 = 0
    }

    /// Bytes of bodies, by where they came from.
    public struct Bytes: Sendable, Hashable, Encodable {
        /// From the bundle's releases.
        public internal(set) var bundle: Int64 = 0
        /// From the cache.
        public internal(set) var cache: Int64 = 0
        /// From the network, also for responses that an origin has confirmed.
        public internal(set) var network: Int64 = 0
        /// Made by the program itself: errors, redirects.
        public internal(set) var server: Int64 = 0
    }

    /// Bytes that weren't sent.
    public struct Saved: Sendable, Hashable, Encodable {
        /// Because of content codings, and because of deltas to earlier releases.
        public internal(set) var codings: Int64 = 0, deltas: Int64 = 0
    }

    /// Stored responses that an origin was asked about.
    public struct Revalidations: Sendable, Hashable, Encodable {
        /// All of them, and those that the origin has confirmed.
        public internal(set) var count: Int64 = 0, confirmed: Int64 = 0
    }

    /// What went wrong, in requests.
    public struct Errors: Sendable, Hashable, Encodable {
        /// Responses with a status from 400 to 499, and from 500.
        public internal(set) var client: Int64 = 0, server: Int64 = 0
        /// Requests that clients gave up before there was a response.
        public internal(set) var abandoned: Int64 = 0
        /// Requests without a response of the network: it is switched off, the origin doesn't respond, it may not be
        /// connected to, or the client allowed only stored responses.
        public internal(set) var offline: Int64 = 0, noResponse: Int64 = 0, denied: Int64 = 0, onlyIfCached: Int64 = 0
    }

    /// A file that a bundle lacks.
    public struct Miss: Sendable, Hashable, Encodable {
        /// The bundle.
        public let name: String
        /// The path that the file would have in the bundle.
        public let path: String
        /// How many requests neither the bundle nor the cache could respond to.
        public let count: Int64
    }

    /// A URL that the network was asked for.
    public struct SlowURL: Sendable, Hashable, Encodable {
        /// The bundle.
        public let name: String
        /// The URL, without its query.
        public let url: String
        /// How many responses the network had.
        public let count: Int64
        /// The mean time from the request to the head of the response, and the longest one.
        public let meanMilliseconds, maximumMilliseconds: Int64
    }

    /// The bundle; nil for all of them and what none covers.
    public let name: BundleName?
    /// Since when; nil for all that is kept.
    public let since: Date?
    /// Requests by the layer that responded.
    public let requests: Requests
    /// The part of the requests for bundles that needed no network, from 0 to 1 to four digits: those that releases or the
    /// cache responded to. Nil without such requests.
    public let hitRate: Double?
    /// Bytes of bodies that were sent.
    public let bytes: Bytes
    /// Bytes that weren't sent.
    public let saved: Saved
    /// Stored responses that an origin was asked about.
    public let revalidations: Revalidations
    /// What went wrong.
    public let errors: Errors
    /// Offline pages that were sent.
    public let offlinePageCount: Int64
    /// Requests that neither a bundle nor the cache could respond to, and which a file in the bundle would serve.
    public let missCount: Int64
    /// The files that were missed most, the most frequent first. Counts are lower bounds where clients ask for very many
    /// different files.
    public let misses: [Miss]
    /// The URLs with the longest times, the slowest first.
    public let slowest: [SlowURL]

    /// Reads the statistics of a store.
    ///
    /// - Parameters:
    ///   - store: The store whose statistics are read.
    ///   - bundle: One bundle; nil for all of them and what none covers.
    ///   - start: Since when, from the beginning of the hour or day (UTC) that it is in; nil for all that is kept.
    ///   - listCount: The most entries of ``misses`` and of ``slowest``. Default: 10.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be read.
    public init(of store: BundleStore, bundle: BundleName? = nil, since start: Date? = nil, listCount: Int = 10) throws
    {
        self.init(try store.statistics(of: bundle, since: start), of: bundle, since: start, listCount: listCount)
    }

    init(_ statistics: StatisticsAddition, of bundle: BundleName? = nil, since start: Date? = nil, listCount: Int) {
        var sums: [String: Int64] = [:]
        var (hits, covered): (Int64, Int64) = (0, 0)
        for (count, value) in statistics.counts {
            sums[count.measure] = (sums[count.measure] ?? 0) &+ value
            guard !count.bundle.isEmpty else { continue }
            if Self.hitNames.contains(count.measure) { hits = hits &+ value }
            if Self.coveredNames.contains(count.measure) { covered = covered &+ value }
        }
        func sum(_ measures: UsageMeasure...) -> Int64 { measures.reduce(0) { $0 &+ (sums[$1.name] ?? 0) } }
        (name, since) = (bundle, start)
        requests = Requests(
            total: ResponseSource.Layer.allCases.reduce(0) { $0 &+ sum(.requests($1)) },
            active: sum(.requests(.active)),
            retained: sum(.requests(.retained)),
            cache: sum(.requests(.cache)),
            network: sum(.requests(.network)),
            stale: sum(.requests(.stale)),
            miss: sum(.requests(.miss)),
            server: sum(.requests(.server))
        )
        // Four digits are enough for a share.
        hitRate = covered > 0 ? (Double(hits) / Double(covered) * 10_000).rounded() / 10_000 : nil
        bytes = Bytes(
            bundle: sum(.bytes(.active), .bytes(.retained)),
            cache: sum(.bytes(.cache), .bytes(.stale)),
            network: sum(.bytes(.network)),
            server: sum(.bytes(.miss), .bytes(.server))
        )
        saved = Saved(codings: sum(.savedByCodings), deltas: sum(.savedByDeltas))
        revalidations = Revalidations(count: sum(.revalidations), confirmed: sum(.confirmations))
        errors = Errors(
            client: sum(.status(4)),
            server: sum(.status(5)),
            abandoned: sum(.abandoned),
            offline: sum(.failures(.offline)),
            noResponse: sum(.failures(.noResponse)),
            denied: sum(.failures(.denied)),
            onlyIfCached: sum(.failures(.onlyIfCached))
        )
        (offlinePageCount, missCount) = (sum(.offlinePages), sum(.misses))
        misses = Self.misses(statistics, listCount)
        slowest = Self.slowest(statistics, listCount)
    }

    private static let hitLayers: [ResponseSource.Layer] = [.active, .retained, .cache, .stale]
    private static let hitNames = Set(hitLayers.map { UsageMeasure.requests($0).name })
    private static let coveredNames = hitNames.union([UsageMeasure.requests(.network), .requests(.miss)].map(\.name))

    private static func misses(_ statistics: StatisticsAddition, _ count: Int) -> [Miss] {
        let misses = statistics.lines.compactMap { line, value in
            line.list == .misses ? Miss(name: line.bundle, path: line.text, count: value.count) : nil
        }
        let ranked = misses.sorted { ($1.count, $0.path, $0.name) < ($0.count, $1.path, $1.name) }
        return Array(ranked.prefix(max(count, 0)))
    }

    private static func slowest(_ statistics: StatisticsAddition, _ count: Int) -> [SlowURL] {
        let urls = statistics.lines.compactMap { line, value -> SlowURL? in
            guard line.list == .slowest, value.count > 0 else { return nil }
            return SlowURL(
                name: line.bundle,
                url: line.text,
                count: value.count,
                meanMilliseconds: value.milliseconds / value.count,
                maximumMilliseconds: value.maximum
            )
        }
        let ranked = urls.sorted {
            ($1.maximumMilliseconds, $0.url, $0.name) < ($0.maximumMilliseconds, $1.url, $1.name)
        }
        return Array(ranked.prefix(max(count, 0)))
    }
}
