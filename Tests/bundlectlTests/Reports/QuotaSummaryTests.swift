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
}
