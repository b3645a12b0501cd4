import BundleStore
import Foundation
import HTTPCore

/// What a store's bundles were used for: requests by layer, bytes, misses and slow URLs, as the endpoint and
/// apps have counted them.
///
/// What is counted is written once a minute and when a program ends. URLs are kept without their queries. Numbers are kept
/// by the hour for 3 days and by the day for 90 days, lists by the day for 30 days. A value type; safe to share between
/// threads.
public struct UsageReport: Sendable {
    /// Bytes of bodies, by where they came from.
    public struct Bytes: Sendable, Hashable {
        /// From the bundle's releases.
        public var bundle: Int64 = 0
        /// From the cache.
        public var cache: Int64 = 0
        /// From the network, also for responses that an origin has confirmed.
        public var network: Int64 = 0
        /// Made by the program itself: errors, redirects.
        public var server: Int64 = 0
    }

    /// A file that a bundle lacks.
    public struct Miss: Sendable, Hashable {
        /// The bundle.
        public let name: String
        /// The path that the file would have in the bundle.
        public let path: String
        /// How many requests neither the bundle nor the cache could respond to.
        public let count: Int64
    }

    /// A URL that the network was asked for.
    public struct SlowURL: Sendable, Hashable {
        /// The bundle.
        public let name: String
        /// The URL, without its query.
        public let url: String
        /// How many responses the network had.
        public let count: Int64
        /// The mean time from the request to the head of the response, and the longest one.
        public let meanMilliseconds, maximumMilliseconds: Int64
    }

    /// Requests by the layer that responded; only those that have some.
    public private(set) var requests: [ResponseSource.Layer: Int64] = [:]
    /// The part of the requests for bundles that needed no network, from 0 to 1: those that releases or the cache
    /// responded to. Nil without such requests.
    public private(set) var hitRate: Double?
    /// Bytes of bodies sent.
    public private(set) var bytes = Bytes()
    /// Bytes that needn't be sent because of content codings.
    public private(set) var savedByCodings: Int64 = 0
    /// Bytes that needn't be sent because of deltas.
    public private(set) var savedByDeltas: Int64 = 0
    /// Stored responses that an origin was asked about, and those of them that it confirmed.
    public private(set) var revalidations: Int64 = 0, confirmations: Int64 = 0
    /// Responses with a status from 400 to 499, and from 500.
    public private(set) var clientErrors: Int64 = 0, serverErrors: Int64 = 0
    /// Requests that clients gave up before there was a response.
    public private(set) var abandoned: Int64 = 0
    /// Requests without a response of the network: it is switched off, the origin doesn't respond, it may not be
    /// connected to, or the client allowed only stored responses.
    public private(set) var offline: Int64 = 0, noResponse: Int64 = 0, denied: Int64 = 0, onlyIfCached: Int64 = 0
    /// Offline pages that were sent.
    public private(set) var offlinePages: Int64 = 0
    /// Requests that neither a bundle nor the cache could respond to, and which a file in the bundle would serve.
    public private(set) var missCount: Int64 = 0
    /// The files that were missed most, the most frequent first. Counts are lower bounds where clients ask for very many
    /// different files.
    public private(set) var misses: [Miss] = []
    /// The URLs with the longest times, the slowest first.
    public private(set) var slowest: [SlowURL] = []

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
        self.init(try store.statistics(of: bundle, since: start), listCount: listCount)
    }

    init(_ statistics: StatisticsAddition, listCount: Int) {
        var sums: [String: Int64] = [:]
        var (hits, covered): (Int64, Int64) = (0, 0)
        for (count, value) in statistics.counts {
            sums[count.measure] = (sums[count.measure] ?? 0) &+ value
            guard !count.bundle.isEmpty else { continue }
            if Self.hitNames.contains(count.measure) { hits = hits &+ value }
            if Self.coveredNames.contains(count.measure) { covered = covered &+ value }
        }
        func sum(_ measures: UsageMeasure...) -> Int64 { measures.reduce(0) { $0 &+ (sums[$1.name] ?? 0) } }
        for layer in ResponseSource.Layer.allCases where sum(.requests(layer)) > 0 {
            requests[layer] = sum(.requests(layer))
        }
        hitRate = covered > 0 ? Double(hits) / Double(covered) : nil
        bytes.bundle = sum(.bytes(.active), .bytes(.retained))
        bytes.cache = sum(.bytes(.cache), .bytes(.stale))
        bytes.network = sum(.bytes(.network))
        bytes.server = sum(.bytes(.miss), .bytes(.server))
        (savedByCodings, savedByDeltas) = (sum(.savedByCodings), sum(.savedByDeltas))
        (revalidations, confirmations) = (sum(.revalidations), sum(.confirmations))
        (clientErrors, serverErrors, abandoned) = (sum(.status(4)), sum(.status(5)), sum(.abandoned))
        (offline, noResponse) = (sum(.failures(.offline)), sum(.failures(.noResponse)))
        (denied, onlyIfCached) = (sum(.failures(.denied)), sum(.failures(.onlyIfCached)))
        (offlinePages, missCount) = (sum(.offlinePages), sum(.misses))
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
