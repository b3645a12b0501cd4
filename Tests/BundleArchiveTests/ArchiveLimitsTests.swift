import BundleArchive
import BundleTar
import BundleTesting
import Testing

@Suite struct ArchiveLimitsTests {
    private func code(_ bytes: [UInt8], _ change: (inout ArchiveLimits) -> Void = { _ in }) throws -> ArchiveError.Code?
    {
        var limits = ArchiveLimits()
        change(&limits)
        return try ExtractedFiles.error(of: bytes, limits: limits)?.code
    }

    @Test(arguments: [ArchiveFormat.zip, .tarGzip, .tarXz, .tarZstandard])
    func `a bomb is refused before it unpacks`(format: ArchiveFormat) throws {
        let file = try TemporaryArchive(SampleArchive.zeros(byteCount: 48 << 20, format: format))
        var limits = ArchiveLimits()
        // Deflate reaches at most 1,032; the others go far beyond the default.
        limits.maximumCompressionRatio = format == .zip || format == .tarGzip ? 900 : 1_000
        let error = #expect(throws: ArchiveError.self) {
            try ArchiveReader(path: file.path, formats: .zipAndTar, limits: limits).nextEntry()
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("bomb") == true)
    }

    @Test(arguments: [1 << 30, 2 << 30, 7 << 30] as [Int64])
    func `a million-to-one bomb of holes is refused`(byteCount: Int64) throws {
        #expect(try code(DecompressionBomb.hole(byteCount: byteCount)) == .limitExceeded)
    }

    @Test func `a bomb that hides in skipped entries is refused`() throws {
        let file = try TemporaryArchive(SampleArchive.zeros(byteCount: 32 << 20, format: .tarZstandard))
        let error = #expect(throws: ArchiveError.self) {
            let reader = try ArchiveReader(path: file.path, formats: .zipAndTar)
            while try reader.nextEntry() != nil {}
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `text that compresses very well is accepted`(format: ArchiveFormat) throws {
        let text = [UInt8](repeating: 0x20, count: 8 << 20)
        #expect(try code(SampleArchive.bytes(format, files: [("spaces.txt", text)])) == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `too large a file is refused, and the largest is accepted`(format: ArchiveFormat) throws {
        let bytes = try SampleArchive.bytes(format, files: [("a", [UInt8](repeating: 1, count: 1_000))])
        #expect(try code(bytes) { $0.maximumEntryByteCount = 999 } == .limitExceeded)
        #expect(try code(bytes) { $0.maximumEntryByteCount = 1_000 } == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `too much in total is refused`(format: ArchiveFormat) throws {
        let part = [UInt8](repeating: 1, count: 1_000)
        let bytes = try SampleArchive.bytes(format, files: [("a", part), ("b", part), ("c", part)])
        #expect(try code(bytes) { $0.maximumTotalByteCount = 2_999 } == .limitExceeded)
        #expect(try code(bytes) { $0.maximumTotalByteCount = 3_000 } == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `too many entries are refused`(format: ArchiveFormat) throws {
        let bytes = try SampleArchive.bytes(format, files: ["a", "b", "c"].map { ($0, [1]) })
        #expect(try code(bytes) { $0.maximumEntryCount = 2 } == .limitExceeded)
        #expect(try code(bytes) { $0.maximumEntryCount = 3 } == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `too many folders in names are refused, each counted unless the entry before lies in it`(
        format: ArchiveFormat
    ) throws {
        let names = ["a/b/c/1", "a/b/c/2", "a/b/d/e/3", "a/b/4", "f/g/h/5"]
        let bytes = try SampleArchive.bytes(format, files: names.map { ($0, [1]) })
        // a, b and c; d and e; f, g and h.
        #expect(try code(bytes) { $0.maximumEntryCount = 7 } == .limitExceeded)
        #expect(try code(bytes) { $0.maximumEntryCount = 8 } == nil)
    }

    @Test func `folders that have their own entry count once`() throws {
        let entries = ["a/", "a/b/", "a/b/1", "a/c/", "a/c/2"].map { name in
            TarFixtureEntry(name).with { $0.typeFlag = name.hasSuffix("/") ? "5" : "0" }
        }
        #expect(try code(TarFixture(entries).bytes) { $0.maximumEntryCount = 4 } == .limitExceeded)
        #expect(try code(TarFixture(entries).bytes) { $0.maximumEntryCount = 5 } == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `too long a name is refused`(format: ArchiveFormat) throws {
        let bytes = try SampleArchive.bytes(format, files: [("0123456789", [1])])
        #expect(try code(bytes) { $0.maximumNameByteCount = 9 } == .limitExceeded)
        #expect(try code(bytes) { $0.maximumNameByteCount = 10 } == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `an archive that takes too long is refused`(format: ArchiveFormat) throws {
        let files = (0..<100).map { (name: "\($0)", contents: [UInt8(1)]) }
        let bytes = try SampleArchive.bytes(format, files: files)
        #expect(try code(bytes) { $0.clock = TestClock(step: .seconds(20)) } == .limitExceeded)
        #expect(try code(bytes) { $0.clock = TestClock(step: .milliseconds(1)) } == nil)
        let withoutBound = try code(bytes) { limits in
            limits.clock = TestClock(step: .seconds(20))
            limits.maximumDuration = nil
        }
        #expect(withoutBound == nil)
    }
}
