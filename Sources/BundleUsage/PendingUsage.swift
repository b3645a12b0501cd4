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
