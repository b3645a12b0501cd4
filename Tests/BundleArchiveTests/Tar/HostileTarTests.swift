import BundleArchive
import BundleTar
import BundleTesting
import Testing

@Suite struct HostileTarTests {
    private static let honest = TarFixtureEntry("good.js", Array("let a = 1".utf8))

    @Test func `the valid fixture is read, uncompressed and in gzip`() throws {
        let tar = TarFixture([Self.honest]).bytes
        #expect(try ExtractedFiles(of: tar).files == ["good.js": Self.honest.contents])
        #expect(try ExtractedFiles(of: GzipFixture(tar).bytes).files == ["good.js": Self.honest.contents])
    }

    @Test func `a bad header checksum is refused, even in the middle`() throws {
        let bad = Self.honest.with { $0.hasValidChecksum = false }
        #expect(try ExtractedFiles.error(of: TarFixture([bad]).bytes)?.code == .notAnArchive)
        #expect(try ExtractedFiles.error(of: TarFixture([Self.honest, bad, Self.honest]).bytes)?.code == .damaged)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `the end mark must be there`(count: Int) throws {
        var fixture = TarFixture([Self.honest])
        fixture.endBlockCount = count
        let code: ArchiveError.Code? = count < 2 ? .truncated : nil
        #expect(try ExtractedFiles.error(of: fixture.bytes)?.code == code)
        #expect(try ExtractedFiles.error(of: GzipFixture(fixture.bytes).bytes)?.code == code)
    }

    @Test func `data after the end mark is refused`() throws {
        var fixture = TarFixture([Self.honest])
        fixture.suffix = TarFixture([TarFixtureEntry("hidden.js", [1])]).bytes
        #expect(try ExtractedFiles.error(of: fixture.bytes)?.code == .damaged)
        #expect(try ExtractedFiles.error(of: GzipFixture(fixture.bytes).bytes)?.code == .damaged)
    }

    @Test(arguments: [600, 100_000, 0o77777777777])
    func `a size beyond the archive's end is refused`(size: Int) throws {
        let lying = Self.honest.with { $0.declaredByteCount = size }
        let code: ArchiveError.Code = size > 1 << 30 ? .limitExceeded : .truncated
        #expect(try ExtractedFiles.error(of: TarFixture([lying]).bytes)?.code == code)
    }

    @Test func `a size short of the contents is refused`() throws {
        let lying = TarFixtureEntry("a.js", SampleArchive.pattern(count: 2_000)).with { $0.declaredByteCount = 100 }
        #expect(try ExtractedFiles.error(of: TarFixture([lying]).bytes)?.code == .damaged)
    }

    @Test func `a name that isn't UTF-8 is refused`() throws {
        let entry = TarFixtureEntry(name: [0xC4, 0xE3, 0xBA, 0xC3], contents: [1])
        #expect(try ExtractedFiles.error(of: TarFixture([entry]).bytes)?.code == .nameNotUTF8)
    }

    @Test func `a name that isn't of the charset given is refused with a readable name`() throws {
        let sound = TarFixtureEntry(name: [0xC4, 0xE3], contents: [1])
        let bad = TarFixtureEntry(name: [0x61, 0xFF, 0xFF, 0x62], contents: [1])
        let file = try TemporaryArchive(TarFixture([sound, Self.honest, bad]).bytes)
        let reader = try ArchiveReader(path: file.path, formats: .zipAndTar, charset: .gbk)
        #expect(try reader.nextEntry()?.name == "你")
        #expect(try reader.nextEntry()?.name == "good.js")
        let error = #expect(throws: ArchiveError.self) { try reader.nextEntry() }
        #expect(error?.code == .nameNotUTF8)
        #expect(error?.entryName?.hasPrefix("a") == true)
        #expect(error?.entryName?.hasSuffix("b") == true)
    }

    @Test func `an endless name is refused`() throws {
        let name = [UInt8](repeating: 0x61, count: 100_000)
        let long = TarFixtureEntry("././@LongLink", name).with { $0.typeFlag = "L" }
        #expect(try ExtractedFiles.error(of: TarFixture([long, Self.honest]).bytes)?.code == .limitExceeded)
    }

    @Test func `a pax header without its entry is refused`() throws {
        let pax = TarFixtureEntry("pax", Array("16 path=evil.js\n".utf8)).with { $0.typeFlag = "x" }
        var fixture = TarFixture([Self.honest, pax])
        fixture.endBlockCount = 0
        #expect(try ExtractedFiles.error(of: fixture.bytes) != nil)
    }

    @Test func `a wrong gzip checksum is refused`() throws {
        let tar = TarFixture([Self.honest]).bytes
        let error = try #require(try ExtractedFiles.error(of: GzipFixture(tar, checksum: 1).bytes))
        #expect(error.code == .damaged)
        #expect(error.message.contains("checksum"))
    }

    @Test func `a flipped byte in gzip is refused`() throws {
        var bytes = GzipFixture(TarFixture([Self.honest]).bytes).bytes
        let start = try #require(bytes.firstRange(of: Self.honest.contents)).lowerBound
        bytes[start] ^= 1
        #expect(try ExtractedFiles.error(of: bytes)?.code == .damaged)
    }

    @Test func `a gzip file of several members is read`() throws {
        let tar = TarFixture([Self.honest, TarFixtureEntry("b", [2])]).bytes
        let bytes = GzipFixture(Array(tar.prefix(700))).bytes + GzipFixture(Array(tar.dropFirst(700))).bytes
        #expect(try ExtractedFiles(of: bytes).entries.map(\.name) == ["good.js", "b"])
    }

    @Test func `changing any byte of the header never traps`() throws {
        let original = TarFixture([Self.honest]).bytes
        var refusedCount = 0
        for index in 0..<512 {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                var bytes = original
                bytes[index] ^= mask
                if try ExtractedFiles.error(of: bytes) != nil { refusedCount += 1 }
            }
        }
        // A header has a checksum.
        #expect(refusedCount > 1_400)
    }
}
