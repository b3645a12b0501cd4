import BundleInstall
import BundleStore
import BundleTesting
import Testing

@Suite("Links in an archive")
struct LinkInstallTests {
    private let manifest = Array(InstallFixture.manifest().utf8)

    @Test(
        "are replaced by their targets, symbolic or hard, also in the single top-level folder that is removed",
        arguments: ["", "shop/"]
    )
    func inside(_ top: String) async throws {
        try await InstallFixture.use { fixture in
            func link(_ name: String, _ target: String, _ flag: Character) -> TarFixtureEntry {
                TarFixtureEntry(top + name).with { entry in
                    entry.typeFlag = flag
                    entry.linkTarget = flag == "1" ? top + target : target
                }
            }
            let archive = TarFixture([
                TarFixtureEntry(top + "bundle.json", manifest),
                TarFixtureEntry(top + "v2/index.html", Array("<p>".utf8)),
                link("latest", "v2", "2"), link("v2/same.html", "v2/index.html", "1"),
                link("home.html", "latest/index.html", "2"),
            ])
            let report = try fixture.install(archive.bytes)
            #expect(report.fileCount == 6)
            #expect(report.newByteCount == UInt64(manifest.count + 3))
            #expect(report.byteCount == UInt64(manifest.count + 5 * 3))
            let pages = ["v2/index.html", "v2/same.html", "latest/index.html", "latest/same.html", "home.html"]
            let expected = Dictionary(uniqueKeysWithValues: pages.map { ($0, "<p>") })
                .merging(["bundle.json": InstallFixture.manifest()]) { $1 }
            #expect(try fixture.release().texts == expected.mapValues { $0 })
        }
    }

    @Test("in a zip are replaced by their targets")
    func zip() async throws {
        try await InstallFixture.use { fixture in
            let archive = ZipFixture([
                ZipFixtureEntry("copy.html", Array("d/page.html".utf8)).with { $0.mode = 0o120_777 },
                ZipFixtureEntry("bundle.json", manifest), ZipFixtureEntry("d/page.html", Array("<p>".utf8)),
            ])
            _ = try fixture.install(archive.bytes)
            #expect(try fixture.release().texts["copy.html"] == "<p>")
        }
    }
}
