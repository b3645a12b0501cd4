import BundleArchive
import BundleTesting
import Testing

@testable import BundleTar

@Suite("A sparse file's map")
struct SparseExtentsTests {
    private static func tar(_ entries: [TarFixtureEntry]) -> [UInt8] { TarFixture(entries).bytes }

    @Test("is accepted up to the limit, in every form", arguments: SparseFixture.allCases)
    func withinBound(_ form: SparseFixture) throws {
        let bytes = Self.tar(form.entries(pieceCount: SparseExtents.maximumCount))
        #expect(try ExtractedFiles.error(of: bytes) == nil)
    }

    @Test("is refused over the limit, in every form", arguments: SparseFixture.allCases)
    func overBound(_ form: SparseFixture) throws {
        let bytes = Self.tar(form.entries(pieceCount: SparseExtents.maximumCount + 21))
        let error = try ExtractedFiles.error(of: bytes)
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("is a sparse file in over 10000 pieces") == true, "\(error?.message ?? "")")
    }

    @Test("counts the pieces in two forms together, but not those of two files")
    func sum() throws {
        let half = SparseExtents.maximumCount / 2 + 42
        let halves = SparseFixture.allCases.flatMap { $0.entries(pieceCount: half) }
        #expect(try ExtractedFiles.error(of: Self.tar(halves)) == nil)
        let map = repeatElement("0,0", count: half).joined(separator: ",")
        let both = [TarFixtureEntry.pax([("GNU.sparse.map", map)])] + SparseFixture.gnu.entries(pieceCount: half)
        #expect(try ExtractedFiles.error(of: Self.tar(both))?.code == .limitExceeded)
    }

    @Test("declares its number of pieces before they are read", arguments: ["12000000\n", "99999999999999999999\n"])
    func announced(_ map: String) throws {
        let records = [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")]
        let bytes = Self.tar([.pax(records), TarFixtureEntry("a", Array(map.utf8))])
        #expect(try ExtractedFiles.error(of: bytes)?.code == .limitExceeded)
    }

    @Test(
        "is refused if programs would look for it in different places",
        arguments: [
            ([("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")], "#1\n1\n0\n0\n"),
            ([("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")], "1"),
            ([("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")], ""),
            ([("GNU.sparse.major", "1")], "1\n0\n0\n"), ([("GNU.sparse.minor", "0")], "1\n0\n0\n"),
            ([("GNU.sparse.major", "2"), ("GNU.sparse.minor", "0")], "1\n0\n0\n"),
        ]
    )
    func unclear(_ records: [(String, String)], _ map: String) throws {
        for typeFlag in "0257" {
            let entry = TarFixtureEntry("a", Array(map.utf8)).with { $0.typeFlag = typeFlag }
            let error = try ExtractedFiles.error(of: Self.tar([.pax(records), entry]))
            #expect(error?.code == .damaged, "\(typeFlag)")
        }
    }
}
