import BundleArchive
import BundleInstall
import BundleStore
import BundleTesting
import Testing

@Suite("Entries that are read concurrently")
struct EntryPipelineTests {
    private static let manifest = ZipFixtureEntry("bundle.json", Array(InstallFixture.manifest().utf8))

    private func page(_ number: Int) -> ZipFixtureEntry {
        ZipFixtureEntry("pages/\(number).html", Array("<p>page \(number)".utf8))
    }

    @Test("are installed unchanged, small, large and empty ones, in every format", arguments: ArchiveFormat.allCases)
    func contents(_ format: ArchiveFormat) async throws {
        try await InstallFixture.use { fixture in
            var files = InstallFixture.files()
            for number in 0..<1_500 { files["pages/\(number).html"] = number % 9 == 0 ? "" : "<p>page \(number)" }
            // More than fits into a batch, than fits into a round, and than is held in memory.
            for (name, count) in [("a", 600_000), ("m", 3_000_000), ("pages/7", 4_200_000), ("z", 5_000_000)] {
                files[name] = String(repeating: "\(name) 0123456789\n", count: count / (name.utf8.count + 12))
            }
            let report = try fixture.install(archive: fixture.pack(files, format))
            #expect(report.fileCount == files.count)
            #expect(report.byteCount == files.values.reduce(0) { $0 + UInt64($1.utf8.count) })
            #expect(report.newByteCount == Set(files.values).reduce(0) { $0 + UInt64($1.utf8.count) })
            let texts = try fixture.release().texts
            #expect(texts.count == files.count)
            let isSame = texts.allSatisfy { $0.value == files[$0.key] }
            #expect(isSame)
            #expect(try fixture.store.verify().isEmpty)
        }
    }

    @Test(
        "are refused for the first faulty one, wherever the others are",
        arguments: [0, 100, 127, 128, 700, 1_400]
    )
    func order(_ position: Int) async throws {
        try await InstallFixture.use { fixture in
            var entries = (0..<1_500).map(page)
            entries[position].checksum = 1
            for later in [position + 1, position + 30, 1_450] { entries[later].name = Array("../evil".utf8) }
            entries[1_460] = ZipFixtureEntry("large", [UInt8](repeating: 1, count: 5 << 20)).with { $0.checksum = 2 }
            try fixture.expectRefusal(ZipFixture([Self.manifest] + entries).bytes, "“pages/\(position).html”")
        }
    }

    @Test("are refused for a bad name rather than for a later damaged content")
    func nameFirst() async throws {
        try await InstallFixture.use { fixture in
            var entries = (0..<600).map(page)
            entries[300].name = Array("../evil".utf8)
            entries[301].checksum = 1
            try fixture.expectRefusal(ZipFixture([Self.manifest] + entries).bytes, "leaves the bundle through “..”")
        }
    }

    @Test("are refused for a damaged large file before intact ones")
    func largeFile() async throws {
        try await InstallFixture.use { fixture in
            let large = ZipFixtureEntry("large", [UInt8](repeating: 1, count: 5 << 20)).with { $0.checksum = 2 }
            let entries = [Self.manifest, page(0), large, page(1)]
            try fixture.expectRefusal(ZipFixture(entries).bytes, "“large”")
        }
    }

    @Test("write only the new bytes of the next version")
    func newBytes() async throws {
        try await InstallFixture.use { fixture in
            var files = InstallFixture.files()
            for number in 0..<700 { files["pages/\(number).html"] = "<p>page \(number)" }
            files["large"] = String(repeating: "0123456789", count: 500_000)
            _ = try fixture.install(files)
            let before = try fixture.directory.snapshot(of: "store/segments").entries.keys
            files["bundle.json"] = InstallFixture.manifest("2.0.0")
            files["pages/3.html"] = "<p>changed"
            let report = try fixture.install(files)
            let changed = InstallFixture.manifest("2.0.0").utf8.count + "<p>changed".utf8.count
            #expect(report.newByteCount == UInt64(changed))
            let after = try fixture.directory.snapshot(of: "store/segments").entries.keys
            let segment = try #require(Set(after).subtracting(before).first)
            let headerByteCount = 64
            #expect(try fixture.directory.read("store/segments/\(segment)").count == headerByteCount + changed)
        }
    }
}
