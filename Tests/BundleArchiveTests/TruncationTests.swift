import BundleArchive
import BundleTesting
import Foundation
import Testing

@Suite struct TruncationTests {
    @Test(arguments: ArchiveFormat.allCases, 0..<10)
    func `an archive that is cut at a tenth is refused`(format: ArchiveFormat, tenth: Int) throws {
        let whole = try SampleArchive.bytes(format)
        let cut = Array(whole.prefix(whole.count * tenth / 10))
        let error = try #require(try ExtractedFiles.error(of: cut))
        #expect(error.code == (tenth == 0 ? .notAnArchive : .truncated))
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `an archive whose last bytes are missing is refused`(format: ArchiveFormat) throws {
        let whole = try SampleArchive.bytes(format)
        for missing in [1, 2, 4, 7, 8, 9, 12, 21, 22, 23, 40, 100, 511, 512, 513] {
            let error = try ExtractedFiles.error(of: whole.dropLast(missing))
            #expect(error?.code == .truncated, "\(missing) bytes missing")
        }
    }

    @Test func `every cut of a small archive is refused`() throws {
        let zip = ZipFixture([ZipFixtureEntry("a.js", [1, 2, 3]), ZipFixtureEntry("b.js", [4])]).bytes
        let tar = TarFixture([TarFixtureEntry("a.js", [1, 2, 3]), TarFixtureEntry("b.js", [4])]).bytes
        for bytes in [zip, GzipFixture(tar).bytes] {
            let file = try TemporaryArchive(bytes)
            for count in bytes.indices.reversed() {
                try #require(truncate(file.path, off_t(count)) == 0)
                #expect(throws: ArchiveError.self, "cut at \(count)") { try ExtractedFiles(path: file.path) }
            }
        }
    }
}
