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

    /// Release 1 shares 20 bytes with release 2, which are freed with the latter; 3 is active or pinned; 4 was
    /// activated last.
    private static let inventory = StorageInventory(
        responses: [.init(id: 11, byteCount: 5), .init(id: 12, byteCount: 5)],
        releases: [
            .init(id: 1, isRemovable: true, byteCount: 10), .init(id: 2, isRemovable: true, byteCount: 30),
            .init(id: 3, isRemovable: false, byteCount: 40), .init(id: 4, isRemovable: true, byteCount: 10),
        ]
    )

    @Test(
        "the oldest responses are removed first, then the least recently activated releases, and no more than needed",
        arguments: [
            Case(quota: .max, responses: [], releases: [], left: 100),
            Case(quota: 100, responses: [], releases: [], left: 100),
            Case(quota: 99, responses: [11], releases: [], left: 95),
            Case(quota: 95, responses: [11], releases: [], left: 95),
            Case(quota: 90, responses: [11, 12], releases: [], left: 90),
            Case(quota: 89, responses: [11, 12], releases: [1], left: 80),
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

    @Test("an empty store has no bytes and loses nothing")
    func empty() {
        #expect(QuotaPolicy.decide(StorageInventory(), quota: 0) == .init(byteCount: 0))
    }
}
