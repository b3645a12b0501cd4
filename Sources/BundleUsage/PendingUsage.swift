import BundleStore
import HTTPCore

/// What has been counted since the statistics were last written. Bounded: by the bundles, and for each by the capacities
/// of its lists.
package struct PendingUsage {
    private struct Lists {
        var misses = FrequentItems()
        var slowest = SlowestItems()
    }

    private var counts: [StatisticsAddition.Count: Int64] = [:]
    private var lists: [String: Lists] = [:]

    /// Counts something.
    package mutating func count(_ measure: UsageMeasure, of bundle: BundleName?, _ amount: Int64 = 1) {
        guard amount > 0 else { return }
        let key = StatisticsAddition.Count(bundle: bundle?.string ?? "", measure: measure.name)
        counts[key] = (counts[key] ?? 0) &+ amount
    }

    /// Counts the responses of one kind.
    package mutating func count(_ totals: ResponseTally.Totals, of kind: ResponseTally.Kind) {
        count(.requests(kind.layer), of: kind.bundle, totals.requestCount)
        count(.bytes(kind.layer), of: kind.bundle, totals.byteCount)
        count(.savedByCodings, of: kind.bundle, totals.savedByCodings)
        count(.savedByDeltas, of: kind.bundle, totals.savedByDeltas)
        let isAbandoned = kind.layer == .server && kind.status == 499
        count(isAbandoned ? .abandoned : .status(kind.status / 100), of: kind.bundle, totals.requestCount)
    }

    /// Counts a request that the bundle's file of this path would have served.
    package mutating func miss(_ path: String?, of bundle: BundleName) {
        count(.misses, of: bundle)
        guard let path, path.utf8.count <= StatisticsLimits.textByteCount else { return }
        lists[bundle.string, default: Lists()].misses.add(path)
    }

    /// Notes how long the network took.
    ///
    /// - Parameter url: Without a query.
    package mutating func time(_ url: String, _ duration: Duration, of bundle: BundleName) {
        guard url.utf8.count <= StatisticsLimits.textByteCount else { return }
        let (seconds, attoseconds) = duration.components
        let milliseconds = max(0, min(seconds, 86_400 * 365) * 1_000 + attoseconds / 1_000_000_000_000_000)
        let times = SlowestItems.Times(count: 1, milliseconds: milliseconds, maximum: milliseconds)
        lists[bundle.string, default: Lists()].slowest.add(url, times)
    }

    /// Puts back what could not be written.
    package mutating func add(_ addition: StatisticsAddition) {
        for (key, value) in addition.counts { counts[key] = (counts[key] ?? 0) &+ value }
        for (line, value) in addition.lines {
            switch line.list {
            case .misses: lists[line.bundle, default: Lists()].misses.add(line.text, count: value.count)
            case .slowest:
                let times = SlowestItems.Times(
                    count: value.count,
                    milliseconds: value.milliseconds,
                    maximum: value.maximum
                )
                lists[line.bundle, default: Lists()].slowest.add(line.text, times)
            }
        }
    }

    /// What is to be written.
    package var addition: StatisticsAddition {
        var addition = StatisticsAddition()
        addition.counts = counts
        for (bundle, lists) in lists {
            for (path, count) in lists.misses.counts {
                let line = StatisticsAddition.Line(bundle: bundle, list: .misses, text: path)
                addition.lines[line] = StatisticsAddition.LineValue(count: count)
            }
            for (url, times) in lists.slowest.items {
                let line = StatisticsAddition.Line(bundle: bundle, list: .slowest, text: url)
                addition.lines[line] = StatisticsAddition.LineValue(
                    count: times.count,
                    milliseconds: times.milliseconds,
                    maximum: times.maximum
                )
            }
        }
        return addition
    }
}

/// A number of the statistics, by the name that it has in the store. A name that isn't known comes from a newer program
/// and is ignored.
package enum UsageMeasure: Hashable {
    /// Requests, by the layer that responded.
    case requests(ResponseSource.Layer)
    /// Bytes of bodies that were sent, by the layer that responded.
    case bytes(ResponseSource.Layer)
    /// Responses, by the first digit of their status.
    case status(Int)
    /// Requests that the client has abandoned before there was a response.
    case abandoned
    /// Bytes that needn't be sent because of codings.
    case savedByCodings
    /// Bytes that needn't be sent because of deltas.
    case savedByDeltas
    /// Stored responses that an origin was asked about.
    case revalidations
    /// Those of them that the origin has confirmed.
    case confirmations
    /// Requests that neither the bundle nor the cache could respond to, and which a file in the bundle would serve.
    case misses
    /// Requests without a response of the network.
    case failures(UsageFailure)
    /// Offline pages that were sent.
    case offlinePages

    /// The name in the store.
    var name: String {
        switch self {
        case .requests(let layer): "requests.\(layer.rawValue)"
        case .bytes(let layer): "bytes.\(layer.rawValue)"
        case .status(let digit): "status.\(digit)"
        case .abandoned: "abandoned"
        case .savedByCodings: "saved.codings"
        case .savedByDeltas: "saved.deltas"
        case .revalidations: "revalidations"
        case .confirmations: "confirmations"
        case .misses: "misses"
        case .failures(let failure): "failures.\(failure.rawValue)"
        case .offlinePages: "offlinePages"
        }
    }
}

/// Why the network had no response.
package enum UsageFailure: String, CaseIterable {
    /// The network is switched off.
    case offline
    /// The origin doesn't respond, or not as HTTP says.
    case noResponse
    /// The origin may not be connected to.
    case denied
    /// The client allowed only stored responses, and none satisfied it.
    case onlyIfCached
}
