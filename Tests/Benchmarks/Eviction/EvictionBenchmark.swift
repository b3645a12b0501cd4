import Foundation

/// Replays traces against caches that count objects, and prints the share of requests that each has.
enum EvictionBenchmark {
    private static let objectCount = 100_000
    private static let requestCount = 1_000_000
    /// How many requests there are between two scans.
    private static let scanInterval = 20_000

    static func run() {
        print("\(requestCount) requests for \(objectCount) objects, Zipf distributed; hit ratios in percent")
        print("alpha  scans  capacity    SIEVE      LRU     FIFO")
        var (rowCount, reachedCount) = (0, 0)
        for alpha in [0.7, 0.9, 1.1] {
            for hasScans in [false, true] {
                for capacity in [500, 5_000, 20_000] {
                    let trace = Self.trace(alpha, scanning: hasScans ? capacity : 0)
                    var caches: [any Replayed] = [Sieve(capacity), LeastRecent(capacity), FirstIn(capacity)]
                    let ratios = caches.indices.map { ratio(&caches[$0], trace) }
                    let columns = ratios.map { String(format: "%8.2f", 100 * $0) }.joined(separator: " ")
                    print(
                        String(format: "%5.1f  %5@  %8d ", alpha, (hasScans ? "yes" : "no") as NSString, capacity)
                            + columns
                    )
                    rowCount += 1
                    reachedCount += ratios[0] > ratios[1] ? 1 : 0
                }
            }
        }
        let verdict = reachedCount == rowCount ? "reached" : "NOT REACHED"
        print("SIEVE above LRU in \(reachedCount) of \(rowCount) rows; in all of them required, \(verdict)")
    }

    /// - Parameter scanned: How many objects a scan requests, each once; 0 for no scans.
    private static func trace(_ alpha: Double, scanning scanned: Int) -> [(object: Int, isScan: Bool)] {
        var generator = Generator(state: 42)
        let shares = Zipf(alpha, objectCount)
        var trace: [(object: Int, isScan: Bool)] = []
        var next = objectCount
        for number in 1...requestCount {
            trace.append((shares.object(Double.random(in: 0..<1, using: &generator)), false))
            guard scanned > 0, number % scanInterval == 0 else { continue }
            for _ in 0..<scanned {
                trace.append((next, true))
                next += 1
            }
        }
        return trace
    }

    /// Of the requests that aren't of scans, which no cache could have.
    private static func ratio(_ cache: inout any Replayed, _ trace: [(object: Int, isScan: Bool)]) -> Double {
        var hitCount = 0
        var count = 0
        for (object, isScan) in trace {
            let isHit = cache.request(object)
            guard !isScan else { continue }
            count += 1
            if isHit { hitCount += 1 }
        }
        return Double(hitCount) / Double(count)
    }
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// Objects by their popularity: the n-th has a share in proportion to n to the power of -alpha.
private struct Zipf {
    private let sums: [Double]

    init(_ alpha: Double, _ count: Int) {
        var total = 0.0
        let sums = (1...count).map { number in
            total += pow(Double(number), -alpha)
            return total
        }
        self.sums = sums.map { $0 / total }
    }

    func object(_ share: Double) -> Int {
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < share { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

private protocol Replayed {
    /// Whether the object was there; it is afterwards.
    mutating func request(_ object: Int) -> Bool
}

private struct Sieve: Replayed {
    private var table: SieveTable<Int, Void>

    init(_ capacity: Int) {
        table = SieveTable(capacity: capacity)
    }

    mutating func request(_ object: Int) -> Bool {
        if table.value(for: object) != nil { return true }
        table.set((), for: object, cost: 1)
        table.evict()
        return false
    }
}

/// A queue of numbered entries, of which only the latest of an object counts.
private struct LeastRecent: Replayed {
    private let capacity: Int
    private var latest: [Int: Int] = [:]
    private var queue: [(object: Int, number: Int)] = []
    private var first = 0
    private var number = 0

    init(_ capacity: Int) {
        self.capacity = capacity
    }

    mutating func request(_ object: Int) -> Bool {
        number += 1
        let isHit = latest.updateValue(number, forKey: object) != nil
        queue.append((object, number))
        while latest.count > capacity {
            let entry = queue[first]
            first += 1
            if latest[entry.object] == entry.number { latest[entry.object] = nil }
        }
        return isHit
    }
}

private struct FirstIn: Replayed {
    private let capacity: Int
    private var present: Set<Int> = []
    private var queue: [Int] = []
    private var first = 0

    init(_ capacity: Int) {
        self.capacity = capacity
    }

    mutating func request(_ object: Int) -> Bool {
        guard present.insert(object).inserted else { return true }
        queue.append(object)
        while present.count > capacity {
            present.remove(queue[first])
            first += 1
        }
        return false
    }
}
