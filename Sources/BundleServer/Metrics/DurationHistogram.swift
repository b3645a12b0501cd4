/// The number of requests per duration, for each of several series. Thread-safe, without locks.
struct DurationHistogram: Sendable {
    /// The buckets' upper bounds in nanoseconds: 100 µs to 10 s.
    static let bounds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]
    /// One more for longer durations, and the sum.
    private static let width = bounds.count + 2

    private let counters: CounterTable

    init(seriesCount: Int) {
        counters = CounterTable(count: seriesCount * Self.width)
    }

    func record(nanoseconds: UInt64, in series: Int) {
        let bucket = Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count
        counters.add(1, to: series * Self.width + bucket)
        counters.add(nanoseconds, to: series * Self.width + Self.width - 1)
    }

    /// How many took at most as long as each bound; the last number is the total.
    func cumulativeCounts(of series: Int) -> [UInt64] {
        var total: UInt64 = 0
        return (0...Self.bounds.count).map { bucket in
            total &+= counters[series * Self.width + bucket]
            return total
        }
    }

    func sumOfNanoseconds(of series: Int) -> UInt64 { counters[series * Self.width + Self.width - 1] }
}
