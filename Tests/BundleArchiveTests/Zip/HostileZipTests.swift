import BundleArchive
import BundleTesting
import Testing

@Suite struct HostileZipTests {
    private static let honest = ZipFixtureEntry("good.js", Array("let a = 1".utf8))

    private func error(_ change: (inout ZipFixtureEntry) -> Void) throws -> ArchiveError? {
        try ExtractedFiles.error(of: ZipFixture([Self.honest, Self.honest.with(change)]).bytes)
    }

    @Test func `the valid fixture is read`() throws {
        var fixture = ZipFixture([Self.honest])
        fixture.comment = Array("made by hand".utf8)
        #expect(try ExtractedFiles(of: fixture.bytes).files == ["good.js": Self.honest.contents])
    }

    @Test func `a bad CRC is refused`() throws {
        let error = try #require(try error { $0.checksum = 0x1234_5678 })
        #expect(error.code == .damaged)
        #expect(error.message.contains("CRC"))
        #expect(error.entryName == "good.js")
    }

    @Test(arguments: [0, 1, 8, 10, 1_000, UInt32.max - 1])
    func `a lying uncompressed size is refused`(size: UInt32) throws {
        let error = try #require(try error { $0.uncompressedByteCount = size })
        #expect(error.code == .damaged || error.code == .limitExceeded)
    }

    @Test(arguments: [0, 1, 8, 10, 1_000, UInt32.max - 1])
    func `a lying compressed size is refused`(size: UInt32) throws {
        #expect(try error { $0.compressedByteCount = size }?.code == .damaged)
    }

    @Test func `a local header with another size is refused`() throws {
        #expect(try error { $0.localUncompressedByteCount = 5 }?.code == .damaged)
    }

    @Test(arguments: [0x801, 0x841] as [UInt16])
    func `an encrypted entry is refused as such`(flags: UInt16) throws {
        let error = try #require(try error { $0.flags = flags })
        #expect(error.code == .encrypted)
        #expect(error.message.contains("encrypted"))
    }

    @Test func `a name with escape sequences can't reach the terminal`() throws {
        let error = try #require(
            try error { entry in
                entry.name = Array("a\u{1B}[2Jb".utf8)
                entry.checksum = 1
            }
        )
        #expect(error.entryName == "a\u{1B}[2Jb")
        #expect(error.message.contains("a\\u{1b}[2Jb"))
        #expect(!error.message.contains("\u{1B}"))
    }

    @Test func `an unknown compression method is refused as unsupported`() throws {
        #expect(try error { $0.method = 77 }?.code == .unsupportedFormat)
    }

    @Test func `damaged deflate data is refused`() throws {
        #expect(try error { $0.method = 8 }?.code == .damaged)
    }

    @Test func `a name that a NUL would cut is refused`() throws {
        #expect(try error { $0.name = Array("good.txt\u{0}/../../evil".utf8) }?.code == .damaged)
        #expect(try error { $0.localName = Array("good\u{0}js".utf8) }?.code == .damaged)
    }

    @Test func `a name that differs between the list and the entry is refused`() throws {
        #expect(try error { $0.localName = Array("evil.js".utf8) }?.code == .damaged)
    }

    @Test(arguments: [0x800, 0] as [UInt16])
    func `a name that isn't UTF-8 is refused`(flags: UInt16) throws {
        let error = try #require(
            try error { entry in
                entry.name = [0xC4, 0xE3, 0xBA, 0xC3, 0x2E, 0x6A, 0x73]
                entry.flags = flags
            }
        )
        #expect(error.code == .nameNotUTF8)
        #expect(error.message.contains("repack"))
    }

    @Test func `an unflagged name that is UTF-8 is read as UTF-8`() throws {
        let entry = ZipFixtureEntry("größe/日本.txt", [1]).with { $0.flags = 0 }
        #expect(try ExtractedFiles(of: ZipFixture([entry]).bytes).entries.map(\.name) == ["größe/日本.txt"])
    }

    @Test(arguments: [5_000, 65_535])
    func `an endless name is refused`(count: Int) throws {
        let error = try #require(try error { $0.name = [UInt8](repeating: 0x61, count: count) })
        #expect(error.code == .limitExceeded)
        #expect(error.message.utf8.count < 600)
    }

    @Test func `bytes before or after the archive are refused`() throws {
        var before = ZipFixture([Self.honest])
        before.prefix = Array("#!/bin/sh\n".utf8)
        var beforeWithSignature = before
        beforeWithSignature.prefix = before.bytes.suffix(100) + Array("PK\u{3}\u{4}".utf8)
        beforeWithSignature.prefix.replaceSubrange(0..<4, with: Array("PK\u{3}\u{4}".utf8))
        var after = ZipFixture([Self.honest])
        after.suffix = [0]
        #expect(try ExtractedFiles.error(of: before.bytes)?.code == .notAnArchive)
        #expect(try ExtractedFiles.error(of: beforeWithSignature.bytes)?.code == .damaged)
        #expect(try ExtractedFiles.error(of: after.bytes)?.code == .damaged)
    }

    @Test func `a truncated archive isn't taken for the zip that it contains`() throws {
        let inner = ZipFixture([ZipFixtureEntry("inner.js", [1])]).bytes
        let outer = ZipFixture([Self.honest, ZipFixtureEntry("inner.zip", inner), Self.honest]).bytes
        let cut = 30 + 7 + Self.honest.contents.count + 30 + 9 + inner.count
        #expect(try ExtractedFiles.error(of: Array(outer.prefix(cut)))?.code == .damaged)
    }

    @Test(arguments: [0, 1, 3, 65_535] as [UInt16])
    func `a wrong number of entries is refused`(count: UInt16) throws {
        var fixture = ZipFixture([Self.honest, ZipFixtureEntry("b", [2])])
        fixture.declaredEntryCount = count
        #expect(try ExtractedFiles.error(of: fixture.bytes)?.code == .damaged)
    }

    @Test func `entries that share bytes are refused`() throws {
        let bytes = DecompressionBomb.overlappingEntries(count: 500, sharedByteCount: 100_000)
        let error = try #require(try ExtractedFiles.error(of: bytes))
        #expect(error.code == .damaged)
    }

    @Test(arguments: [1, 5_000, UInt32.max])
    func `an entry that lies elsewhere is refused`(offset: UInt32) throws {
        #expect(try error { $0.localHeaderOffset = offset }?.code == .damaged)
    }

    @Test func `changing any byte never traps, and changed contents never pass`() throws {
        let original = ZipFixture([Self.honest, ZipFixtureEntry("b/c.css", [1, 2, 3])]).bytes
        let expected = try ExtractedFiles(of: original).files.values.sorted { $0.count < $1.count }
        for index in original.indices {
            for mask in [0x01, 0x08, 0x80, 0xFF] as [UInt8] {
                var bytes = original
                bytes[index] ^= mask
                guard let contents = try? ExtractedFiles(of: bytes), contents.entries.allSatisfy({ $0.kind == .file })
                else { continue }
                #expect(contents.files.values.sorted { $0.count < $1.count } == expected, "byte \(index), mask \(mask)")
            }
        }
    }
}
