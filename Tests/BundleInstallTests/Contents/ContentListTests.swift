import BundleArchive
import BundleInstall
import BundlePublishing
import BundleStore
import BundleTesting
import Testing

@Suite("Content lists")
struct ContentListTests {
    private func list(_ files: [String: String], nested: Bool = false) async throws -> (ContentList, [UInt8]) {
        var result: (ContentList, [UInt8])?
        try await InstallFixture.use { fixture in
            let packed = nested ? Dictionary(uniqueKeysWithValues: files.map { ("top/\($0.key)", $0.value) }) : files
            let path = try fixture.pack(packed)
            _ = try fixture.install(archive: path)
            let bytes = try fixture.directory.read("archive")
            let list = try ContentList(
                of: fixture.release(),
                in: path,
                Digest(of: bytes),
                options: InstallOptions()
            )
            result = (list, bytes)
        }
        return try #require(result)
    }

    @Test("each file's bytes are where the list says, in a single top folder too", arguments: [false, true])
    func extents(nested: Bool) async throws {
        let (list, archive) = try await list(InstallFixture.files(), nested: nested)
        #expect(
            list.files.map(\.path.string)
                == InstallFixture.files().keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        )
        for file in list.files {
            let extent = try #require(file.extent)
            let content = Array(try #require(InstallFixture.files()[file.path.string]).utf8)
            #expect(file.digest == Digest(of: content))
            #expect(file.byteCount == content.count)
            try await withTemporaryDirectory { directory in
                let part = archive[Int(extent.offset)..<Int(extent.offset + extent.byteCount)]
                let path = try directory.write(Array(part), to: "part")
                let reader = try CompressedFile(path: path, limits: ArchiveLimits())
                var decoded: [UInt8] = []
                try withUnsafeTemporaryAllocation(byteCount: 7, alignment: 1) { buffer in
                    let here = CompressedExtent(offset: 0, byteCount: extent.byteCount, isDeflated: extent.isDeflated)
                    try reader.decode(here, byteCount: file.byteCount, named: "part", by: buffer) { decoded += $0 }
                }
                #expect(decoded == content)
            }
        }
    }

    @Test("a list is read as it was written")
    func roundTrip() async throws {
        let (list, archive) = try await list(InstallFixture.files())
        let bytes = try #require(list.encoded())
        let read = try ContentList(
            reading: bytes,
            named: "list",
            archiveByteCount: Int64(archive.count),
            limits: ArchiveLimits()
        )
        #expect(read == list)
        #expect(list.encoded() == bytes)
    }

    private static let digest = String(repeating: "0", count: 64)

    private static func json(_ files: String) -> String {
        #"{"name": "shop", "version": "1.0.0", "archive": "\#(digest)", "files": [\#(files)]}"#
    }

    private static func file(_ path: String, _ members: String = #""size": 1"#) -> String {
        #"{"path": "\#(path)", "sha256": "\#(digest)", \#(members)}"#
    }

    @Test(
        "a wrong list is refused with the place of what is wrong",
        arguments: [
            ("[]", "must be an object"),
            (json(file("a") + "," + file("a")), "files[1]: isn't in the order"),
            (json(file("b") + "," + file("a")), "files[1]: isn't in the order"),
            (#"{"name": "shop", "version": "1.0.0", "archive": "\#(digest)"}"#, "“files” is missing"),
            (#"{"name": "shop", "version": "1.0.0", "archive": "\#(digest)", "files": 7}"#, "must be a list"),
            (
                json(file("a") + "," + file("b")).replacing("shop", with: String(repeating: "x", count: 2 << 20)),
                "more than"
            ),
            (String(json("").dropLast()) + #", "more": [\#(String(repeating: "1,", count: 20_000))1]}"#, "more than"),
            (json(file("../a")), "files[0].path"),
            (json(file("/a")), "files[0].path"),
            (json(file("con")), "files[0].path"),
            (json(file("a", #""size": -1"#)), "files[0].size"),
            (json(file("a", #""size": 1.5"#)), "files[0].size"),
            (json(file("a", #""size": 5000000000"#)), "files[0].size"),
            (json(file("a", #""size": 1, "offset": 101, "length": 0, "method": "deflate""#)), "files[0].offset"),
            (json(file("a", #""size": 1, "offset": 90, "length": 11, "method": "deflate""#)), "files[0].length"),
            (json(file("a", #""size": 1, "offset": 0, "length": 2, "method": "store""#)), "files[0].length"),
            (json(file("a", #""size": 1, "offset": 0, "length": 2, "method": "lzma""#)), "files[0].method"),
            (json(file("a", #""size": 1, "offset": 0, "length": 66, "method": "deflate""#)), "files[0].length"),
            (json(file("a", #""size": 1, "offset": 0"#)), "“length” is missing"),
            (json(file("a", #""size": 4294967296"#) + "," + file("b", #""size": 4294967296"#)), "makes the total size"),
        ]
    )
    func refused(json: String, words: String) throws {
        var limits = ArchiveLimits()
        limits.maximumTotalByteCount = 5 << 30
        let error = #expect(throws: BundleError.self) {
            try ContentList(
                reading: ZstandardFixture(Array(json.utf8)).bytes,
                named: "list",
                archiveByteCount: 100,
                limits: limits
            )
        }
        #expect(error?.code == .invalidFeed)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("what isn't one frame of bounded length is refused", arguments: ["text", "cut", "twice", "bomb"])
    func frames(_ kind: String) throws {
        let good = ZstandardFixture(Array(Self.json("").utf8)).bytes
        let bytes: [UInt8] =
            switch kind {
            case "cut": Array(good.dropLast())
            case "twice": good + good
            case "bomb": ZstandardFixture(Array(repeating: 0x20, count: ContentList.maximumByteCount + 1)).bytes
            default: Array("text".utf8)
            }
        let error = #expect(throws: BundleError.self) {
            try ContentList(reading: bytes, named: "list", archiveByteCount: 100, limits: ArchiveLimits())
        }
        #expect(error?.code == .invalidFeed)
    }
}
