import BundleArchive
import BundleModel
import BundleTar
import BundleTesting
import Foundation
import Testing

@Suite struct ArchiveReaderTests {
    @Test(arguments: ArchiveFormat.allCases, [7, 512, 64 << 10])
    func `what was written is read again`(format: ArchiveFormat, chunkByteCount: Int) throws {
        let contents = try ExtractedFiles(of: SampleArchive.bytes(format), chunkByteCount: chunkByteCount)
        #expect(contents.entries.map(\.name) == SampleArchive.files.map(\.name))
        #expect(contents.entries.allSatisfy { $0.kind == .file })
        for (name, expected) in SampleArchive.files {
            #expect(contents.files[name] == expected)
        }
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `names outside ASCII are read under the C locale, in which every Swift program starts`(
        format: ArchiveFormat
    ) throws {
        _ = setlocale(LC_ALL, "C")
        let names = ["日本語/ページ.html", "größe.css", "emoji-🚀.svg"]
        let bytes = try SampleArchive.bytes(format, files: names.map { ($0, [1]) })
        #expect(try ExtractedFiles(of: bytes).entries.map(\.name) == names)
        #expect(String(cString: setlocale(LC_ALL, nil)) == "C")
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `the format is recognised by the bytes, not by the name`(format: ArchiveFormat) throws {
        let file = try TemporaryArchive(SampleArchive.bytes(format))
        #expect(try ArchiveReader(path: file.path, formats: .zipAndTar).format == format)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `a program that adds no module for tar reads zip alone`(format: ArchiveFormat) throws {
        let file = try TemporaryArchive(SampleArchive.bytes(format))
        guard format != .zip else {
            #expect(try ArchiveReader(path: file.path).nextEntry()?.name == SampleArchive.files[0].name)
            return
        }
        let error = #expect(throws: ArchiveError.self) { try ArchiveReader(path: file.path) }
        #expect(error?.code == .unsupportedFormat)
        let problem = "is a \(format) archive, which this program doesn't read; give a zip archive"
        #expect(error?.problem.hasSuffix(problem) == true, "\(error?.problem ?? "")")
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `a buffer of exactly the entry's size reads and verifies it at once`(format: ArchiveFormat) throws {
        let expected = SampleArchive.pattern(count: 100_000)
        let file = try TemporaryArchive(SampleArchive.bytes(format, files: [("data.bin", expected)]))
        let reader = try ArchiveReader(path: file.path, formats: .zipAndTar)
        let entry = try #require(try reader.nextEntry())
        var buffer = [UInt8](repeating: 0, count: Int(entry.byteCount))
        #expect(try buffer.withUnsafeMutableBytes(reader.read(into:)) == buffer.count)
        #expect(buffer == expected)
        #expect(try buffer.withUnsafeMutableBytes(reader.read(into:)) == 0)
        #expect(try reader.nextEntry() == nil)
        #expect(try reader.nextEntry() == nil)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `a file of several megabytes streams through, and progress reaches the archive's size`(
        format: ArchiveFormat
    ) throws {
        let expected = SampleArchive.pattern(count: 2_500_000)
        let file = try TemporaryArchive(SampleArchive.bytes(format, files: [("movie.mp4", expected)]))
        #expect(try ExtractedFiles(path: file.path).files["movie.mp4"] == expected)

        let reader = try ArchiveReader(path: file.path, formats: .zipAndTar)
        var last: Int64 = 0
        var chunk = [UInt8](repeating: 0, count: 100_000)
        while try reader.nextEntry() != nil {
            while try chunk.withUnsafeMutableBytes(reader.read(into:)) > 0 {
                #expect((last...reader.archiveByteCount).contains(reader.bytesConsumed))
                last = reader.bytesConsumed
            }
        }
        #expect(last > reader.archiveByteCount / 2)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `thousands of entries come in order`(format: ArchiveFormat) throws {
        let files = (0..<2_500).map { (name: "pages/\($0).html", contents: Array("page \($0)".utf8)) }
        let contents = try ExtractedFiles(of: SampleArchive.bytes(format, files: files))
        #expect(contents.entries.map(\.name) == files.map(\.name))
        #expect(contents.files["pages/2499.html"] == Array("page 2499".utf8))
    }

    @Test func `a zip with a ZIP64 end record is read`() throws {
        var fixture = ZipFixture([ZipFixtureEntry("a", [1]), ZipFixtureEntry("b", [2, 3])])
        fixture.hasZip64EndRecord = true
        #expect(try ExtractedFiles(of: fixture.bytes).files == ["a": [1], "b": [2, 3]])
        fixture.declaredEntryCount = 3
        #expect(try ExtractedFiles.error(of: fixture.bytes)?.code == .damaged)
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `entries may be skipped`(format: ArchiveFormat) throws {
        let file = try TemporaryArchive(SampleArchive.bytes(format))
        let reader = try ArchiveReader(path: file.path, formats: .zipAndTar)
        var names: [String] = []
        while let entry = try reader.nextEntry() { names.append(entry.name) }
        #expect(names == SampleArchive.files.map(\.name))
    }

    @Test(arguments: ArchiveFormat.allCases)
    func `an archive without entries ends at once`(format: ArchiveFormat) throws {
        #expect(try ExtractedFiles(of: SampleArchive.bytes(format, files: [])).entries.isEmpty)
    }

    @Test func `a folder's name comes without its slash`() throws {
        let folder = ZipFixtureEntry("assets/").with { $0.mode = 0o040_755 }
        let zip = try ExtractedFiles(
            of: ZipFixture([folder, ZipFixtureEntry("bare", []).with { $0.mode = 0o040_755 }]).bytes
        )
        let tar = try ExtractedFiles(of: TarFixture([TarFixtureEntry("assets/").with { $0.typeFlag = "5" }]).bytes)
        #expect(zip.entries.map(\.name) == ["assets", "bare"])
        #expect(tar.entries == [ArchiveEntry(name: "assets", kind: .directory, byteCount: 0)])
    }

    @Test(arguments: ["../evil", "/etc/passwd", "a/../../b", "C:/x", "a//b", "./a", ".."])
    func `a dangerous name arrives as it is, for the caller to refuse`(name: String) throws {
        #expect(try ExtractedFiles(of: ZipFixture([ZipFixtureEntry(name, [1])]).bytes).entries.first?.name == name)
        #expect(try ExtractedFiles(of: TarFixture([TarFixtureEntry(name, [1])]).bytes).entries.first?.name == name)
    }

    @Test func `a name that occurs twice arrives twice`() throws {
        let zip = ZipFixture([ZipFixtureEntry("a", [1]), ZipFixtureEntry("a", [2])])
        let tar = TarFixture([TarFixtureEntry("a", [1]), TarFixtureEntry("a", [2])])
        #expect(try ExtractedFiles(of: zip.bytes).entries.map(\.name) == ["a", "a"])
        #expect(try ExtractedFiles(of: tar.bytes).entries.map(\.name) == ["a", "a"])
    }

    @Test(
        arguments: [
            ("1", ArchiveEntryKind.hardLink(target: "/etc/passwd")), ("2", .symbolicLink(target: "/etc/passwd")),
            ("3", .special("character device")), ("4", .special("block device")), ("6", .special("FIFO")),
        ] as [(Character, ArchiveEntryKind)]
    )
    func `links and devices in a tar are told apart from files`(flag: Character, kind: ArchiveEntryKind) throws {
        let entry = TarFixtureEntry("thing").with { entry in
            entry.typeFlag = flag
            entry.linkTarget = flag < "3" ? "/etc/passwd" : ""
        }
        let contents = try ExtractedFiles(of: TarFixture([entry]).bytes)
        #expect(contents.entries == [ArchiveEntry(name: "thing", kind: kind, byteCount: 0)])
    }

    @Test(arguments: [
        (0o120_777 as UInt32, ArchiveEntryKind.symbolicLink(target: "../../etc")),
        (0o020_644, .special("character device")),
        (0o060_644, .special("block device")), (0o140_644, .special("socket")),
    ])
    func `links and devices in a zip are told apart from files`(mode: UInt32, kind: ArchiveEntryKind) throws {
        let entry = ZipFixtureEntry("thing", Array("../../etc".utf8)).with { $0.mode = mode }
        #expect(try ExtractedFiles(of: ZipFixture([entry]).bytes).entries.map(\.kind) == [kind])
    }

    @Test func `a missing file, a folder and a FIFO are unreadable, and nothing waits`() throws {
        let fifo = FileManager.default.temporaryDirectory.appending(path: "fifo-\(UUID().uuidString)").path
        try #require(mkfifo(fifo, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: fifo) }
        for path in ["/no/such/file.zip", FileManager.default.temporaryDirectory.path, fifo] {
            let error = #expect(throws: ArchiveError.self) { try ArchiveReader(path: path, formats: .zipAndTar) }
            #expect(error?.code == .unreadable)
            #expect(error?.message.hasPrefix(path) == true)
        }
    }

    @Test func `an error stays`() throws {
        let bad = ZipFixtureEntry("bad.js", [1, 2, 3]).with { $0.checksum = 7 }
        let file = try TemporaryArchive(ZipFixture([bad, ZipFixtureEntry("good.js", [1])]).bytes)
        let reader = try ArchiveReader(path: file.path, formats: .zipAndTar)
        _ = try reader.nextEntry()
        var chunk = [UInt8](repeating: 0, count: 100)
        for _ in 0..<2 {
            #expect(throws: ArchiveError.self) { try chunk.withUnsafeMutableBytes(reader.read(into:)) }
        }
        #expect(throws: ArchiveError.self) { try reader.nextEntry() }
    }
}
