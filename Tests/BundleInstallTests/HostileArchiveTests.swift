import BundleArchive
import BundleInstall
import BundleStore
import BundleTesting
import Testing

@Suite("A hostile archive is refused, and the store's files stay as they are")
struct HostileArchiveTests {
    /// Lends a fixture whose store holds version 1.0.0.
    private func withShop(_ body: (InstallFixture) throws -> Void) async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            try body(fixture)
        }
    }

    /// A sound manifest and page in front of `entries`.
    private func zip(_ entries: ZipFixtureEntry...) -> [UInt8] {
        let manifest = ZipFixtureEntry("bundle.json", Array(InstallFixture.manifest("2.0.0").utf8))
        return ZipFixture([manifest, ZipFixtureEntry("index.html", Array("<p>2".utf8))] + entries).bytes
    }

    private func tar(_ entries: TarFixtureEntry...) -> [UInt8] {
        let manifest = TarFixtureEntry("bundle.json", Array(InstallFixture.manifest("2.0.0").utf8))
        let sound = [manifest, TarFixtureEntry("index.html", Array("<p>2".utf8))]
        return TarFixture(sound + entries.flatMap(Self.withLongName)).bytes
    }

    /// GNU tar's way to give names of over 100 bytes.
    private static func withLongName(_ entry: TarFixtureEntry) -> [TarFixtureEntry] {
        guard entry.name.count > 100 else { return [entry] }
        let long = TarFixtureEntry(name: Array("././@LongLink".utf8), contents: entry.name + [0])
        return [long.with { $0.typeFlag = "L" }, entry]
    }

    @Test(
        "for a name that isn't a path in the bundle",
        arguments: [
            ("../evil.js", "leaves the bundle through “..”"), ("..", "leaves the bundle through “..”"),
            ("a/../../evil.js", "leaves the bundle through “..”"), ("./../evil.js", "leaves the bundle through “..”"),
            (".//../evil.js", "leaves the bundle through “..”"),
            ("/etc/passwd", "is an absolute path"), ("//host/share", "is an absolute path"),
            ("..\\evil.js", "has a backslash"), ("a\\b.js", "has a backslash"), ("\\evil", "has a backslash"),
            ("C:/evil.js", "starts with a drive letter"), ("c:evil.js", "starts with a drive letter"),
            ("a\u{1B}[2J.js", "has a control character"), ("a\nb.js", "has a control character"),
            ("a/./b.js", "has an empty or “.” component"), ("a//b.js", "has an empty or “.” component"),
            (String(repeating: "a", count: 256), "has a component longer than 255 bytes"),
            (String(repeating: "a/", count: 64) + "a", "is nested deeper than 64 folders"),
            (String(repeating: "abcd/", count: 1_000) + "e", "over 4096 bytes"),
        ]
    )
    func name(_ name: String, _ words: String) async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(zip(ZipFixtureEntry(name, [1])), words)
            try fixture.expectRefusal(tar(TarFixtureEntry(name, [1])), words)
        }
    }

    @Test(
        "for a folder whose name isn't a path in the bundle",
        arguments: ["../evil/", "/evil/", "C:/evil/", "a/../../b/"]
    )
    func folderName(_ name: String) async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(zip(ZipFixtureEntry(name).with { $0.mode = 0o040_755 }), "entry “")
            try fixture.expectRefusal(tar(TarFixtureEntry(name).with { $0.typeFlag = "5" }), "entry “")
        }
    }

    @Test(
        "for a link that leaves the bundle, dangles or loops",
        arguments: [
            ("../../etc/passwd", "is a link to “../../etc/passwd”, which leaves the bundle"),
            ("/etc/passwd", "is a link to “/etc/passwd”, which leaves the bundle"),
            ("d/../../index.html", "which leaves the bundle"), ("missing.html", "which isn't there"),
            ("link", "which leads back to the link"), (".", "which leads back to the link"),
        ]
    )
    func link(_ target: String, _ words: String) async throws {
        try await withShop { fixture in
            let entry = ZipFixtureEntry("link", Array(target.utf8)).with { $0.mode = 0o120_777 }
            try fixture.expectRefusal(zip(entry), words)
            for flag in ["1", "2"] as [Character] {
                let entry = TarFixtureEntry("link").with { entry in
                    entry.typeFlag = flag
                    entry.linkTarget = target
                }
                try fixture.expectRefusal(tar(entry), words)
            }
        }
    }

    @Test("for a file that would be written through a link")
    func fileThroughLink() async throws {
        try await withShop { fixture in
            let words = "“d” is a link, and other entries lie below it"
            let link = ZipFixtureEntry("d", Array("index.html".utf8)).with { $0.mode = 0o120_777 }
            try fixture.expectRefusal(zip(link, ZipFixtureEntry("d/x", [1])), words)
            try fixture.expectRefusal(zip(ZipFixtureEntry("d/x", [1]), link), words)
            let tarLink = TarFixtureEntry("d").with { entry in
                entry.typeFlag = "2"
                entry.linkTarget = "../.."
            }
            try fixture.expectRefusal(tar(tarLink, TarFixtureEntry("d/x", [1])), words)
        }
    }

    @Test("for links that stand for more than the limits allow")
    func linkLimits() async throws {
        try await withShop { fixture in
            let link = ZipFixtureEntry("copy", Array("d".utf8)).with { $0.mode = 0o120_777 }
            let archive = zip(ZipFixtureEntry("d/1", [1, 1]), ZipFixtureEntry("d/2", [2]), link)
            var options = InstallOptions()
            options.limits.maximumEntryCount = 5
            try fixture.expectRefusal(archive, "than the limits allow", options: options)
            options.limits.maximumEntryCount = 6
            #expect(try fixture.install(archive, options: options).fileCount == 6)
        }
    }

    @Test(
        "for a name that isn't the same file everywhere",
        arguments: [
            ("a.", "ends in a dot, which Windows drops"), ("a./b", "ends in a dot"), ("a ", "ends in a space"),
            ("a /b", "ends in a space"), ("NUL", "is a device's name on Windows"), ("a/con.txt", "is a device's name"),
            ("Lpt1/a", "is a device's name"), ("com\u{B9}.js", "is a device's name"),
            ("%2e%2e/evil.js", "has an encoded dot or slash"), ("a/%2E./b", "has an encoded dot or slash"),
            ("..%2fevil.js", "has an encoded dot or slash"), ("a%5Cb", "has an encoded dot or slash"),
            ("%252e%252e/a", "has an encoded dot or slash"), ("%c0%ae%c0%ae/a", "has an encoded dot or slash"),
        ]
    )
    func portableName(_ name: String, _ words: String) async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(zip(ZipFixtureEntry(name, [1])), words)
            try fixture.expectRefusal(tar(TarFixtureEntry(name, [1])), words)
        }
    }

    @Test(
        "for names that differ only in case",
        arguments: [("README", "readme"), ("a/B.js", "a/b.js"), ("Ä/x", "ä/y")]
    )
    func caseConflict(_ first: String, _ second: String) async throws {
        try await withShop { fixture in
            let words = "differ only in upper and lower case"
            try fixture.expectRefusal(zip(ZipFixtureEntry(first, [1]), ZipFixtureEntry(second, [2])), words)
            try fixture.expectRefusal(tar(TarFixtureEntry(first, [1]), TarFixtureEntry(second, [2])), words)
        }
    }

    @Test(
        "for a device or a pipe",
        arguments: [("3", "is a character device"), ("4", "is a block device"), ("6", "is a FIFO")]
            as [(Character, String)]
    )
    func device(_ flag: Character, _ words: String) async throws {
        try await withShop { try $0.expectRefusal(tar(TarFixtureEntry("thing").with { $0.typeFlag = flag }), words) }
    }

    @Test(
        "for a name that comes twice",
        arguments: [
            ("a.js", "a.js"), ("caf\u{E9}.html", "cafe\u{301}.html"), ("index.html", "./index.html"),
            ("index.html", ".//index.html"), ("bundle.json", "bundle.json"),
        ]
    )
    func duplicate(_ first: String, _ second: String) async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(zip(ZipFixtureEntry(first, [1]), ZipFixtureEntry(second, [2])), "comes twice")
            try fixture.expectRefusal(tar(TarFixtureEntry(first, [1]), TarFixtureEntry(second, [2])), "comes twice")
        }
    }

    @Test("for a path that is a file and a folder")
    func fileAndFolder() async throws {
        try await withShop { fixture in
            let words = "“a” is a file and a folder"
            let (file, inner) = (TarFixtureEntry("a", [1]), TarFixtureEntry("a/b/c", [2]))
            let (folder, innerFolder) = (
                TarFixtureEntry("a/").with { $0.typeFlag = "5" }, TarFixtureEntry("a/b/").with { $0.typeFlag = "5" }
            )
            try fixture.expectRefusal(tar(file, inner), words)
            try fixture.expectRefusal(tar(inner, file), words)
            try fixture.expectRefusal(tar(folder, file), words)
            try fixture.expectRefusal(tar(file, innerFolder), words)
            // The folder that is listed must not hide the one above it.
            try fixture.expectRefusal(tar(innerFolder, file, inner), words)
            try fixture.expectRefusal(zip(ZipFixtureEntry("a", [1]), ZipFixtureEntry("a/b", [2])), words)
        }
    }

    @Test("for what is wrong with files that aren't taken")
    func leftOut() async throws {
        try await withShop { fixture in
            let damaged = ZipFixtureEntry("__MACOSX/._a", Array("abc".utf8)).with { $0.checksum = 1 }
            try fixture.expectRefusal(zip(damaged), "CRC")
            try fixture.expectRefusal(zip(ZipFixtureEntry("__MACOSX/../a", [1])), "leaves the bundle")
            let link = ZipFixtureEntry("a/.DS_Store", Array("/etc".utf8)).with { $0.mode = 0o120_777 }
            try fixture.expectRefusal(zip(link), "is a link to “/etc”, which leaves the bundle")
        }
    }

    @Test("for a wrong checksum, after the contents were read")
    func checksum() async throws {
        try await withShop { fixture in
            let contents = [UInt8](repeating: 7, count: 3 << 20)
            try fixture.expectRefusal(zip(ZipFixtureEntry("a.bin", contents).with { $0.checksum = 1 }), "CRC")
            try fixture.expectRefusal(GzipFixture(tar(), checksum: 1).bytes, "checksum")
        }
    }

    @Test("for a password")
    func encrypted() async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(zip(ZipFixtureEntry("a.js", [1]).with { $0.flags = 0x801 }), "is encrypted")
        }
    }

    @Test("for being a bomb")
    func bomb() async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(DecompressionBomb.hole(byteCount: 1 << 30), "as a decompression bomb does")
            let zeros = try DecompressionBomb.zeros(byteCount: 40 << 20, format: .tarZstandard)
            try fixture.expectRefusal(zeros, "as a decompression bomb does")
            let overlap = DecompressionBomb.overlappingEntries(count: 500, sharedByteCount: 1_000)
            try fixture.expectRefusal(overlap, "has one name in the archive's list and another in its own header")
        }
    }

    @Test("for breaking a limit while it is read")
    func limits() async throws {
        try await withShop { fixture in
            var options = InstallOptions()
            options.limits.maximumEntryByteCount = 1_000
            try fixture.expectRefusal(
                zip(ZipFixtureEntry("a", [UInt8](repeating: 1, count: 1_001))),
                "1000",
                options: options
            )
            options.limits = ArchiveLimits()
            options.limits.maximumEntryCount = 2
            try fixture.expectRefusal(zip(ZipFixtureEntry("a", [1])), "more than 2 entries", options: options)
        }
    }

    @Test("for not being an archive")
    func notAnArchive() async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(Array("<!DOCTYPE html><title>404</title>".utf8), "HTML page")
            try fixture.expectRefusal([], "is an empty file")
            try fixture.expectRefusal(Array("Rar!\u{1A}\u{7}\u{1}\u{0}".utf8), "RAR")
        }
    }

    @Test("for holding no file", arguments: ArchiveFormat.allCases)
    func empty(_ format: ArchiveFormat) async throws {
        try await withShop { fixture in
            let path = try fixture.pack([:], format)
            try fixture.expectRefusal(try fixture.directory.read("archive"), "holds no file")
            #expect(path.hasSuffix("archive"))
            let folders = TarFixture(
                ["a/", "a/b/", "./"].map { name in TarFixtureEntry(name).with { $0.typeFlag = "5" } }
            )
            try fixture.expectRefusal(folders.bytes, "holds no file")
        }
    }

    @Test("for ending too early, at each tenth", arguments: ArchiveFormat.allCases)
    func truncated(_ format: ArchiveFormat) async throws {
        try await withShop { fixture in
            _ = try fixture.pack(InstallFixture.files("2.0.0"), format)
            let whole = try fixture.directory.read("archive")
            for tenth in 0..<10 {
                try fixture.expectRefusal(Array(whole.prefix(whole.count * tenth / 10)), "")
            }
            #expect(try fixture.install(whole).outcome == .installed)
        }
    }

    @Test("whichever of its bytes is changed: it is refused, or what it says is installed whole")
    func changedByte() async throws {
        try await withShop { fixture in
            let sound = zip()
            var options = InstallOptions()
            options.activates = false
            options.replaces = true
            for position in stride(from: 0, to: sound.count, by: 3) {
                var damaged = sound
                damaged[position] ^= 0x21
                do {
                    let report = try fixture.install(damaged, options: options)
                    #expect(report.fileCount == 2, "byte \(position)")
                } catch let error as BundleError {
                    #expect([.invalidArchive, .invalidManifest].contains(error.code), "byte \(position): \(error)")
                }
            }
            #expect(try fixture.store.verify().isEmpty)
        }
    }
}
