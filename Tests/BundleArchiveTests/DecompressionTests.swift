import BundleArchive
import BundleTesting
import Testing

@Suite("The compression around a tar archive")
struct DecompressionTests {
    private static let entries = [TarFixtureEntry("good.js", Array("let a = 1".utf8)), TarFixtureEntry("b", [2])]
    private static let tar = TarFixture(entries).bytes

    /// Text that deflate compresses, so that it isn't in stored blocks.
    private static let page = Array(
        (0..<600).map { "line \($0) of a page with \($0 * 7919 % 1000) words\n" }.joined().utf8
    )

    private func expectRefusal(_ bytes: [UInt8], _ code: ArchiveError.Code, _ words: String) throws {
        let error = try ExtractedFiles.error(of: bytes)
        #expect(error?.code == code)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "accepted")")
    }

    @Test(
        "is refused for a flipped bit, unless the output is the same",
        arguments: [.tarGzip, .tarXz] as [ArchiveFormat]
    )
    func flippedBit(format: ArchiveFormat) throws {
        let sound = try SampleArchive.bytes(format, files: [("page.html", Self.page)])
        var acceptedCount = 0
        for index in stride(from: sound.count / 8, to: sound.count, by: 7) {
            var bytes = sound
            bytes[index] ^= 1 << (index % 8)
            guard let contents = try? ExtractedFiles(of: bytes) else { continue }
            acceptedCount += 1
            let isSame = contents.files["page.html"] == Self.page
            #expect(isSame, "byte \(index)")
        }
        // The bits between the last block and the next byte have no meaning.
        #expect(acceptedCount <= 2)
    }

    @Test("is refused for a wrong gzip trailer, even of a member that isn't the last")
    func gzipTrailer() throws {
        try expectRefusal(GzipFixture(Self.tar, byteCount: 1).bytes, .damaged, "its gzip size doesn't match")
        try expectRefusal(GzipFixture(Self.tar, checksum: 1).bytes, .damaged, "its gzip checksum doesn't match")
        let both = GzipFixture(Self.tar, checksum: 1, byteCount: 1).bytes
        try expectRefusal(both, .damaged, "its gzip checksum doesn't match")
        try expectRefusal(both + [0], .damaged, "its gzip checksum doesn't match")
        let first = GzipFixture(Array(Self.tar.prefix(700)), checksum: 1).bytes
        let second = GzipFixture(Array(Self.tar.dropFirst(700))).bytes
        try expectRefusal(first + second, .damaged, "its gzip checksum doesn't match")
    }

    @Test("may consist of several members, frames or streams", arguments: [0, 1, 512, 700, 2_048])
    func members(first: Int) throws {
        let parts = [Array(Self.tar.prefix(first)), Array(Self.tar.dropFirst(first))]
        let skippable = ZstandardFixture.skippable
        let files = [
            parts.flatMap { GzipFixture($0).bytes },
            parts.flatMap { ZstandardFixture($0).bytes },
            skippable + parts.flatMap { ZstandardFixture($0).bytes + skippable },
        ]
        for file in files {
            let names = try ExtractedFiles(of: file).entries.map(\.name)
            #expect(names == ["good.js", "b"])
        }
        // The zeros of a second stream, which contains no entry, extend the end mark.
        let xz = try SampleArchive.bytes(.tarXz, files: [("a", [1])])
        let empty = try SampleArchive.bytes(.tarXz, files: [])
        #expect(try ExtractedFiles(of: xz + [0, 0, 0, 0] + empty).entries.map(\.name) == ["a"])
    }

    @Test(
        "must not be followed by other data",
        arguments: [
            Array("junk behind the end".utf8), TarFixture(entries).bytes,
            ZipFixture([ZipFixtureEntry("evil.js", [1])]).bytes,
            [0x1F, 0x8B] + Array("junk behind".utf8),
        ]
    )
    func junkAfter(junk: [UInt8]) throws {
        let words = junk.first == 0x1F ? "is damaged" : "has data after its end"
        try expectRefusal(GzipFixture(Self.tar).bytes + junk, .damaged, words)
        try expectRefusal(ZstandardFixture(Self.tar).bytes + junk, .damaged, "has data after its end")
        let xz = try SampleArchive.bytes(.tarXz)
        try expectRefusal(xz + junk, .damaged, "its xz data is broken")
    }

    @Test("must not be followed by zeros, and the error says where they come from", arguments: [4, 100, 600_000])
    func zerosAfter(count: Int) throws {
        let zeros = [UInt8](repeating: 0, count: count)
        try expectRefusal(GzipFixture(Self.tar).bytes + zeros, .damaged, "has zeros after its end")
        try expectRefusal(ZstandardFixture(Self.tar).bytes + zeros, .damaged, "has zeros after its end")
        try expectRefusal(GzipFixture(Self.tar).bytes + zeros + [1], .damaged, "has data after its end")
    }

    @Test("is refused by xz for a window over 16 MiB, unless it is `xz -9` and the output is no larger")
    func xzWindow() throws {
        var limits = ArchiveLimits()
        limits.maximumCompressionRatio = .max
        let small = try SampleArchive.bytes(.tarXz)
        let large = try SampleArchive.zeros(byteCount: 17 << 20, format: .tarXz)
        let isTaken: [(file: [UInt8], dictionary: UInt8, Bool)] = [
            (small, 24, true), (small, 25, true), (small, 28, true), (small, 29, false), (small, 37, false),
            (large, 24, true), (large, 25, false), (large, 28, false), (large, 40, false),
        ]
        for (file, dictionary, isTaken) in isTaken {
            let bytes = try #require(XzFixture.settingDictionary(dictionary, in: file))
            let error = try ExtractedFiles.error(of: bytes, limits: limits)
            #expect(error?.code == (isTaken ? nil : .unsupportedFormat), "\(dictionary)")
            #expect(
                error?.message.contains("over 16 MiB of memory to be decompressed; repack it with “xz -6”") != isTaken
            )
        }
    }

    @Test("is refused by Zstandard for a window over 16 MiB, even of a later frame")
    func zstandardWindow() throws {
        let words = "over 16 MiB of memory to be decompressed; repack it with “zstd -19” or less"
        #expect(try ExtractedFiles.error(of: ZstandardFixture(Self.tar, windowExponent: 24).bytes) == nil)
        for (exponent, mantissa) in [(24, 1), (25, 0), (27, 0), (31, 0), (41, 7)] as [(UInt8, UInt8)] {
            let frame = ZstandardFixture(Self.tar, windowExponent: exponent, windowMantissa: mantissa)
            try expectRefusal(frame.bytes, .unsupportedFormat, words)
            try expectRefusal(ZstandardFixture([]).bytes + frame.bytes, .unsupportedFormat, words)
        }
    }

    @Test("names no entry in its errors")
    func entryName() throws {
        let large = TarFixture([TarFixtureEntry("a.bin", [UInt8](repeating: 7, count: 2 << 20))]).bytes
        let error = try #require(try ExtractedFiles.error(of: GzipFixture(large, checksum: 1).bytes))
        #expect(error.entryName == nil)
    }
}
