import Testing

@testable import BundleStore
@testable import bundlectl

struct QuotaSummaryTests {
    @Test("shows the bound, the use, and what an install may free")
    func lines() {
        let use = StorageUse(quota: 500_000_000, byteCount: 12_000_000, removableByteCount: 3_400)
        #expect(QuotaSummary(use).lines == ["quota      500 MB", "in use     12 MB", "removable  3.4 KB"])
        #expect(QuotaSummary(StorageUse(quota: nil, byteCount: 0, removableByteCount: 0)).lines[0] == "quota      none")
    }

    @Test(
        "warns of a quota below the use, by what can be removed",
        arguments: [
            (nil, 12_000_000, 0, nil), (12_000_000, 12_000_000, 0, nil),
            (
                10_000_000, 12_000_000, 3_000_000,
                "the quota is 10 MB, and 12 MB are in use: the next install or update removes 2.0 MB or more, cached responses "
                    + "first, then earlier versions that aren't pinned; raise the quota to keep them"
            ),
            (
                10_000_000, 12_000_000, 1_000_000,
                "the quota is 10 MB, and 12 MB are in use, of which 1.0 MB can be removed: installs and updates are refused; "
                    + "raise the quota, or remove or unpin versions"
            ),
        ] as [(Int64?, Int64, Int64, String?)]
    )
    func warnings(_ quota: Int64?, _ inUse: Int64, _ removable: Int64, _ warning: String?) {
        let use = StorageUse(quota: quota, byteCount: inUse, removableByteCount: removable)
        #expect(QuotaSummary.warnings(use) == (warning.map { [$0] } ?? []))
    }
}
