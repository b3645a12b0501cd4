import BundleArchive
import BundleStore
import Testing

@testable import BundleInstall

@Suite("A patch's listing")
struct PatchListingTests {
    /// - Parameter lines: With a space for the zero byte.
    private func files(_ lines: [String], contentByteCount: Int, totalByteCount: Int64) throws -> Int {
        var limits = ArchiveLimits()
        limits.maximumTotalByteCount = totalByteCount
        let text = lines.map { $0.replacing(" ", with: "\u{0}") + "\n" }.joined()
        return try Array(text.utf8).withUnsafeBytes {
            try PatchListing(parsing: $0, contentByteCount: contentByteCount, limits: limits).files.count
        }
    }

    @Test(
        "counts a content once for each file that has it",
        arguments: [(["a 5", "b =0"], 10), (["a 5", "b =0", "c =1"], 15), (["a 3", "b 2", "c =1", "d =2"], 9)]
            as [([String], Int64)]
    )
    func total(_ lines: [String], _ byteCount: Int64) throws {
        #expect(try files(lines, contentByteCount: 5, totalByteCount: byteCount) == lines.count)
        let error = #expect(throws: BundleError.self) {
            try files(lines, contentByteCount: 5, totalByteCount: byteCount - 1)
        }
        #expect(error?.code == .invalidFeed)
    }

    @Test("must have as many bytes as the contents have", arguments: [4, 6])
    func sum(_ contentByteCount: Int) {
        #expect(throws: BundleError.self) {
            try files(["a 3", "b 2"], contentByteCount: contentByteCount, totalByteCount: 100)
        }
    }
}
