import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

struct StatisticsTests {
    /// 2026-01-01 00:00:00 UTC.
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)
    private static let hour: TimeInterval = 3_600
    private static let day: TimeInterval = 86_400

    private func withStore(_ body: (BundleStore, TemporaryDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            try store.install(.sample(), files: ["a": "a"])
            try await body(store, directory)
        }
    }

    private func addition(
        _ counts: [String: Int64] = [:],
        misses: [String: Int64] = [:],
        slowest: [String: Int64] = [:],
        of bundle: String = "shop"
    ) -> StatisticsAddition {
        var addition = StatisticsAddition()
        for (measure, value) in counts { addition.add(value, to: .init(bundle: bundle, measure: measure)) }
        for (text, count) in misses {
            addition.add(.init(count: count), to: .init(bundle: bundle, list: .misses, text: text))
        }
        for (text, time) in slowest {
            let value = StatisticsAddition.LineValue(count: 1, milliseconds: time, maximum: time)
            addition.add(value, to: .init(bundle: bundle, list: .slowest, text: text))
        }
        return addition
    }

    private func sum(_ store: BundleStore, _ measure: String = "m", since: Date? = nil) throws -> Int64 {
        try store.statistics(of: nil, since: since).counts.filter { $0.key.measure == measure }.values.reduce(0, +)
    }

    private func rowCount(_ table: String, _ store: BundleStore) throws -> Int {
        try store.catalog.connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }

    @Test("numbers and lines of several writers add up, and are there after the store is opened again")
    func additive() async throws {
        try await withStore { store, directory in
            let other = try BundleStore(at: directory.path(of: "store"))
            for writer in [store, other, store] {
                let addition = addition(["m": 2, "n": 1], misses: ["a.js": 3], slowest: ["https://e/": 5])
                try writer.addStatistics(addition, at: Self.start)
            }
            try other.addStatistics(addition(slowest: ["https://e/": 50]), at: Self.start)
            let again = try BundleStore(at: directory.path(of: "store"))
            let statistics = try again.statistics(of: BundleName("shop"), since: nil)
            #expect(statistics.counts == addition(["m": 6, "n": 3]).counts)
            #expect(statistics.lines[.init(bundle: "shop", list: .misses, text: "a.js")]?.count == 9)
            let slow = statistics.lines[.init(bundle: "shop", list: .slowest, text: "https://e/")]
            #expect(slow == .init(count: 4, milliseconds: 65, maximum: 50))
        }
    }

    @Test("several writers at once lose nothing")
    func concurrent() async throws {
        try await withStore { store, directory in
            let path = directory.path(of: "store")
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        let store = try BundleStore(at: path)
                        for _ in 0..<10 {
                            try store.addStatistics(addition(["m": 1], misses: ["a": 1]), at: Self.start)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try sum(store) == 40)
            #expect(try store.statistics(of: nil, since: nil).lines.values.map(\.count) == [40])
        }
    }

    @Test(
        "a period begins with the hour that its start is in, and before the last three days with the day",
        arguments: [(0.0, 111), (0.5, 111), (1, 110), (1.9, 110), (2, 100), (-30, 111), (100, 0)]
    )
    func since(hours: Double, expected: Int64) async throws {
        try await withStore { store, _ in
            for (index, value) in [Int64(1), 10, 100].enumerated() {
                try store.addStatistics(addition(["m": value]), at: Self.start + Double(index) * Self.hour)
            }
            #expect(try sum(store, since: Self.start + hours * Self.hour) == expected)
            // Ten days later only the day counts.
            try store.addStatistics(addition(["n": 1]), at: Self.start + 10 * Self.day)
            #expect(try rowCount("statistic", store) == 2)
            #expect(try sum(store, since: Self.start + hours * Self.hour) == (hours < 24 ? 111 : 0))
            #expect(try sum(store) == 111)
        }
    }

    @Test("numbers are kept for 90 days, lines for 30")
    func retention() async throws {
        try await withStore { store, _ in
            for day in 0..<200 {
                let date = Self.start + Double(day) * Self.day
                try store.addStatistics(addition(["m": 1], misses: ["\(day)": 1]), at: date)
            }
            #expect(try sum(store) == 91)
            #expect(try store.statistics(of: nil, since: nil).lines.count == 31)
        }
    }

    @Test("a list has at most 128 lines for a day, and what was asked for often stays")
    func lines() async throws {
        try await withStore { store, _ in
            try store.addStatistics(addition(misses: ["real": 2, "other": 5], slowest: ["slow": 900]), at: Self.start)
            for round in 0..<20 {
                let texts = Dictionary(uniqueKeysWithValues: (0..<200).map { ("\(round)/\($0)", Int64(1)) })
                try store.addStatistics(addition(misses: texts, slowest: texts), at: Self.start)
            }
            let lines = try store.statistics(of: nil, since: nil).lines
            #expect(lines.keys.count { $0.list == .misses } == 128)
            #expect(lines.keys.count { $0.list == .slowest } == 128)
            #expect(lines[.init(bundle: "shop", list: .misses, text: "real")]?.count == 2)
            #expect(lines[.init(bundle: "shop", list: .slowest, text: "slow")]?.maximum == 900)
        }
    }

    @Test("the oldest numbers and lines go when there are too many")
    func bounds() async throws {
        try await withStore { store, _ in
            var limits = StatisticsLimits()
            (limits.countRows, limits.lineRows) = (30, 20)
            for day in 0..<10 {
                let texts = Dictionary(uniqueKeysWithValues: (0..<8).map { ("\(day)-\($0)", Int64(1)) })
                let date = Self.start + Double(day) * Self.day
                try store.addStatistics(addition(texts, misses: texts), at: date, within: limits)
                #expect(try rowCount("statistic", store) <= 30)
                #expect(try rowCount("statisticLine", store) <= 20)
            }
            let statistics = try store.statistics(of: nil, since: nil)
            #expect(statistics.counts.keys.contains { $0.measure == "9-0" })
            #expect(statistics.lines.keys.contains { $0.text == "9-7" })
            // Also those of one hour.
            let texts = Dictionary(uniqueKeysWithValues: (0..<100).map { ("x\($0)", Int64(1)) })
            try store.addStatistics(addition(texts, misses: texts), at: Self.start + 10 * Self.day, within: limits)
            #expect(try rowCount("statistic", store) <= 30)
            #expect(try rowCount("statisticLine", store) <= 20)
        }
    }

    @Test("a bundle that isn't installed gets none, and a removed one loses its own")
    func removed() async throws {
        try await withStore { store, _ in
            try store.addStatistics(addition(["m": 1], misses: ["a": 1], of: "gone"), at: Self.start)
            #expect(try store.statistics(of: nil, since: nil).isEmpty)
            try store.addStatistics(addition(["m": 1], of: ""), at: Self.start)
            try store.addStatistics(addition(["m": 10], misses: ["a": 1]), at: Self.start)
            _ = try store.remove(BundleName("shop"), nil)
            #expect(try store.statistics(of: nil, since: nil).counts == addition(["m": 1], of: "").counts)
            #expect(try rowCount("statisticLine", store) == 0)
        }
    }

    @Test("values that can't be are ignored, and numbers don't overflow")
    func damaged() async throws {
        try await withStore { store, _ in
            for _ in 0..<3 { try store.addStatistics(addition(["m": .max], misses: ["a": .max]), at: Self.start) }
            #expect(try sum(store) == 1 << 60)
            try store.catalog.connection.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO statistic VALUES (0, 3600, 'shop', 'x', -5), (0, 3600, 'shop', 'y', 'text'),
                            (0, 3600, x'00ff', 'z', 1);
                        INSERT INTO statisticLine VALUES (0, 'shop', 9, 'b', 1, 0, 0), (0, 'shop', 1, 'c', -1, 0, 0);
                        """
                )
            }
            let statistics = try store.statistics(of: nil, since: nil)
            #expect(statistics.counts.keys.filter { "xy".contains($0.measure) } == [])
            #expect(statistics.lines.keys.map(\.text) == ["a"])
        }
    }

    @Test("odd times neither trap nor lose what others have", arguments: [-1e30, -1, 1e30, .infinity, .nan])
    func oddTimes(_ seconds: TimeInterval) async throws {
        try await withStore { store, _ in
            try store.addStatistics(addition(["m": 1]), at: Date(timeIntervalSince1970: seconds))
            _ = try store.statistics(of: nil, since: Date(timeIntervalSince1970: seconds))
        }
    }
}
