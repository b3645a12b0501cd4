import Foundation
import Testing

@testable import BundleUsage

struct FrequentItemsTests {
    @Test("items are counted exactly while they all have a place")
    func exact() {
        var items = FrequentItems(capacity: 100)
        for number in 0..<100 {
            for _ in 0...number { items.add("\(number)") }
        }
        items.add("7", count: 10)
        let counts = Dictionary(uniqueKeysWithValues: items.counts)
        #expect(counts.count == 100)
        #expect((0..<100).allSatisfy { counts["\($0)"] == Int64($0 + ($0 == 7 ? 11 : 1)) })
    }

    @Test("hundreds of thousands of different texts neither take more memory nor push out those that come often")
    func hostile() {
        var items = FrequentItems()
        // The real ones come among the others, from the beginning.
        for number in 0..<200_000 {
            if number % 1_000 == 0 { for real in 0..<20 { items.add("real/\(real)") } }
            items.add("\(number)")
        }
        let counts = Dictionary(uniqueKeysWithValues: items.counts)
        #expect(counts.count <= 256)
        // They may lose a few while there are no others that come often.
        #expect((0..<20).allSatisfy { (150...200).contains(counts["real/\($0)"] ?? 0) })
        let others = counts.filter { !$0.key.hasPrefix("real/") }.values
        // What came once isn't taken for more.
        #expect(others.allSatisfy { $0 == 1 })
    }

    @Test("texts that come often get a place also when all are taken")
    func late() {
        var items = FrequentItems(capacity: 16, cellCount: 64)
        for number in 0..<10_000 { items.add("\(number)") }
        for _ in 0..<5_000 { items.add("late") }
        let best = items.counts.max { $0.count < $1.count }
        #expect(best?.text == "late")
        #expect((best?.count ?? 0) <= 5_000)
        #expect((best?.count ?? 0) > 4_000)
    }

    @Test("no count is higher than the truth, whatever comes")
    func lowerBounds() {
        var items = FrequentItems(capacity: 8, cellCount: 4)
        var truth: [String: Int64] = [:]
        var state: UInt64 = 1
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let text = "\((state >> 33) % 50 * ((state >> 50) % 3))"
            items.add(text)
            truth[text, default: 0] += 1
        }
        #expect(items.counts.allSatisfy { $0.count <= truth[$0.text] ?? 0 })
        #expect(items.counts.count <= 8)
    }
}

struct SlowestItemsTests {
    private func times(_ milliseconds: Int64) -> SlowestItems.Times {
        SlowestItems.Times(count: 1, milliseconds: milliseconds, maximum: milliseconds)
    }

    @Test("the slowest of any number of texts are kept")
    func hostile() {
        var items = SlowestItems(capacity: 64)
        for slow in 0..<10 { items.add("slow/\(slow)", times(5_000 + Int64(slow))) }
        for number in 0..<20_000 { items.add("\(number)", times(Int64(number % 1_000))) }
        #expect(items.items.count == 64)
        for slow in 0..<10 { #expect(items.items["slow/\(slow)"] == times(5_000 + Int64(slow))) }
        #expect(items.items.values.allSatisfy { $0.maximum >= 990 })
    }

    @Test("the times of a text add up, and the longest stays")
    func sums() {
        var items = SlowestItems()
        for milliseconds: Int64 in [3, 9, 6] { items.add("a", times(milliseconds)) }
        #expect(items.items["a"] == SlowestItems.Times(count: 3, milliseconds: 18, maximum: 9))
    }
}
