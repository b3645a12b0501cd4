import Testing

@testable import BundleArchive

@Suite("A zip's entries")
struct ZipExtentsTests {
    private static func order(pieceCount: Int) throws(ArchiveError) {
        var extents = ZipExtents()
        // Every other extent, and then those between them.
        for start in [0, 1] {
            for place in stride(from: Int64(start), to: 2 * Int64(pieceCount), by: 2) {
                try extents.insert(place..<place + 1)
            }
        }
        try extents.checkCover(upTo: 2 * Int64(pieceCount))
    }

    @Test("may be stored in another order than they are listed, but not in over 100,000 separate extents")
    func order() throws {
        #expect(throws: Never.self) { try Self.order(pieceCount: 100_000) }
        let error = #expect(throws: ArchiveError.self) { try Self.order(pieceCount: 300_000) }
        #expect(error?.code == .limitExceeded)
    }
}
