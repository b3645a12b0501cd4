import BundleTesting
import Testing

@testable import BundleNetwork

@Suite("A table that evicts by SIEVE")
struct SieveTableTests {
    private func table(_ capacity: Int, _ keys: some Sequence<Int>) -> SieveTable<Int, Int> {
        var table = SieveTable<Int, Int>(capacity: capacity)
        for key in keys { table.set(key, for: key, cost: 1) }
        return table
    }

    private func keys(_ table: SieveTable<Int, Int>, among candidates: ClosedRange<Int>) -> [Int] {
        candidates.filter { key in
            var copy = table
            return copy.value(for: key) != nil
        }
    }

    @Test("keeps elements until it exceeds its capacity, and then evicts the oldest that weren't requested")
    func oldest() {
        var table = table(3, 1...3)
        table.evict()
        #expect(keys(table, among: 1...9) == [1, 2, 3])
        #expect(table.value(for: 1) == 1)
        table.set(4, for: 4, cost: 1)
        table.evict()
        #expect(keys(table, among: 1...9) == [1, 3, 4])
    }

    @Test("keeps what was requested again through a scan of any length")
    func scan() {
        var table = table(10, 1...5)
        for key in 1...5 { _ = table.value(for: key) }
        for key in 100..<10_000 {
            table.set(key, for: key, cost: 1)
            table.evict()
        }
        #expect(keys(table, among: 1...5) == [1, 2, 3, 4, 5])
        #expect(table.count == 10)
    }

    @Test("counts costs, also of elements that change, and evicts as much as needed")
    func costs() {
        var table = table(10, 1...10)
        table.set(1, for: 1, cost: 5)
        #expect(table.cost == 14)
        table.evict()
        #expect((table.cost, table.count) == (9, 9))
        table.set(99, for: 99, cost: 100)
        table.evict()
        #expect((table.cost, table.count) == (0, 0))
    }

    @Test("keeps what must stay, even beyond its capacity")
    func spared() {
        var table = table(2, 1...6)
        table.evict { $0 > 2 }
        #expect(keys(table, among: 1...9) == [3, 4, 5, 6])
        table.evict { $0 > 4 }
        #expect(keys(table, among: 1...9) == [5, 6])
    }

    @Test("is consistent after any changes", arguments: 1...20)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = SieveTable<Int, Int>(capacity: 50)
        var costs: [Int: Int] = [:]
        for _ in 0..<2_000 {
            let key = Int.random(in: 0..<40, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                table.remove(key)
                costs[key] = nil
            case 1:
                let isThere = table.value(for: key) != nil
                #expect(isThere == (costs[key] != nil))
            case 2:
                costs[key] = Int.random(in: 0..<9, using: &generator)
                table.set(key, for: key, cost: costs[key] ?? 0)
            default:
                table.evict()
                for key in costs.keys where table.value(for: key) == nil { costs[key] = nil }
                #expect(table.cost <= 50)
            }
            #expect(table.cost == costs.values.reduce(0, +))
            #expect(table.count == costs.count)
        }
    }
}
