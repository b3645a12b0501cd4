import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

@Suite("The counter of rollbacks")
struct RollbackCounterTests {
    @Test("rollbacks are counted by their cause, from the counter's beginning on, and by other users of the store")
    func causes() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let shop = BundleName("shop")
            for version in ["1.0.0", "1.1.0", "1.2.0", "1.3.0"] {
                try store.installTrial(version)
                try store.confirm(shop)
            }
            try store.rollBack(shop)
            let counter = RollbackCounter(store)
            #expect(Self.counts(counter) == ["0", "0", "0", "0"])

            let other = try BundleStore(at: directory.path(of: "store"))
            try other.rollBack(shop)
            let left = BundleVersion("1.1.0")
            try other.markBad(shop, left, reason: "the cart stays empty")
            #expect(Self.counts(counter) == ["0", "0", "1", "1"])

            try store.installTrial("1.4.0")
            try store.noteLoad(of: shop, BundleVersion("1.4.0"))
            #expect(store.judgeStarts().map(\.reason) == ["not confirmed in 1 starts"])
            #expect(Self.counts(counter) == ["0", "1", "1", "1"])
            #expect(Self.counts(counter) == ["0", "1", "1", "1"])
            #expect(Self.counts(RollbackCounter(store)) == ["0", "0", "0", "0"])
        }
    }

    @Test("a verdict after which nothing is left is no rollback")
    func verdicts() async throws {
        try await withStore { store in
            let shop = BundleName("shop")
            try store.installTrial("1.0.0")
            let counter = RollbackCounter(store)
            try store.markBad(shop, BundleVersion("1.0.0"), reason: "slow")
            #expect(Self.counts(counter) == ["0", "0", "0", "0"])
            try store.remove(shop, nil)
            #expect(Self.counts(counter).isEmpty)
        }
    }

    /// The values, in the order of the causes.
    private static func counts(_ counter: RollbackCounter) -> [String] {
        var page = MetricPage()
        counter.counts().write(to: &page)
        return PrometheusText(page).text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { String($0.split(separator: " ").last ?? "") }
    }
}
