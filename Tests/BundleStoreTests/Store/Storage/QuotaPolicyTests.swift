import Testing

@testable import BundleStore

struct QuotaPolicyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let quota: Int64
        let responses: [Int64]
        let releases: [Int64]
        let left: Int64

        var testDescription: String { "\(quota) bytes" }
    }

    /// Release 1 shares the file `ab` with release 2; 3 is active or pinned; 4 was activated last.
    private static let inventory = StorageInventory(
        responses: [.init(id: 11, byteCount: 5), .init(id: 12, byteCount: 5)],
        releases: [
            .init(id: 1, files: ["a", "ab"], isRemovable: true), .init(id: 2, files: ["b", "ab"], isRemovable: true),
            .init(id: 3, files: ["c"], isRemovable: false), .init(id: 4, files: ["d"], isRemovable: true),
        ],
        byteCounts: ["a": 10, "ab": 20, "b": 10, "c": 40, "d": 10]
    )

    @Test(
        "the oldest responses go first, then the releases activated the longest ago, and no more than needed",
        arguments: [
            Case(quota: .max, responses: [], releases: [], left: 100),
            Case(quota: 100, responses: [], releases: [], left: 100),
            Case(quota: 99, responses: [11], releases: [], left: 95),
            Case(quota: 95, responses: [11], releases: [], left: 95),
            Case(quota: 90, responses: [11, 12], releases: [], left: 90),
            Case(quota: 89, responses: [11, 12], releases: [1], left: 80),
            // What two share goes with the second of them.
            Case(quota: 79, responses: [11, 12], releases: [1, 2], left: 50),
            Case(quota: 40, responses: [11, 12], releases: [1, 2, 4], left: 40),
            Case(quota: 39, responses: [11, 12], releases: [1, 2, 4], left: 40),
            Case(quota: 0, responses: [11, 12], releases: [1, 2, 4], left: 40),
        ]
    )
    func decision(_ sample: Case) {
        let decision = QuotaPolicy.decide(Self.inventory, quota: sample.quota)
        #expect(
            decision
                == .init(responses: sample.responses, releases: sample.releases, byteCount: sample.left)
        )
    }

    @Test("an empty store has no bytes and gives up nothing")
    func empty() {
        #expect(QuotaPolicy.decide(StorageInventory(), quota: 0) == .init(byteCount: 0))
    }

    @Test("a file whose size isn't known counts nothing")
    func unknownSize() {
        let inventory = StorageInventory(releases: [.init(id: 1, files: ["a"], isRemovable: true)])
        #expect(QuotaPolicy.decide(inventory, quota: 0) == .init(byteCount: 0))
    }
}
