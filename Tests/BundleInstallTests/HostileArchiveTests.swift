import BundleArchive
import BundleInstall
import BundleStore
import BundleTar
import BundleTesting
import Testing

@Suite("A hostile archive, beyond those with a row in the document,")
struct HostileArchiveTests {
    /// Provides a fixture whose store holds version 1.0.0.
    private func withShop(_ body: (InstallFixture) throws -> Void) async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            try body(fixture)
        }
    }

    /// A valid manifest and page before `entries`.
    private func zip(_ entries: ZipFixtureEntry...) -> [UInt8] {
        ZipFixture(OddArchiveVariant.soundZip + entries).bytes
    }

    @Test("is refused for links that stand for one file more than the limits allow")
    func linkLimits() async throws {
        try await withShop { fixture in
            let link = ZipFixtureEntry("copy", Array("d".utf8)).with { $0.mode = 0o120_777 }
            let archive = zip(
                ZipFixtureEntry("d/1", [1, 1]),
                ZipFixtureEntry("d/2", [2]),
                ZipFixtureEntry("d/3", [3]),
                link
            )
            var options = InstallOptions()
            options.limits.maximumEntryCount = 7
            try fixture.expectRefusal(archive, "than the limits allow", options: options)
            options.limits.maximumEntryCount = 8
            #expect(try fixture.install(archive, options: options).fileCount == 8)
        }
    }

    @Test("is refused when the time limit passes while its names and links are checked")
    func timeOfSealing() async throws {
        try await withShop { fixture in
            let link = ZipFixtureEntry("copy", Array("d".utf8)).with { $0.mode = 0o120_777 }
            let archive = try fixture.directory.write(zip(ZipFixtureEntry("d/1", [1]), link), to: "archive")
            let clock = TestClock(step: .milliseconds(1))
            var options = InstallOptions()
            options.limits.clock = clock
            options.limits.maximumDuration = .seconds(10)
            let installer = Installer(fixture.store, formats: .zipAndTar)
            let error = #expect(throws: BundleError.self) {
                // An archive this small has been read completely when its progress is first reported.
                try installer.install(archive: archive, options: options) { _ in
                    for _ in 0..<10_000 { _ = clock.now }
                }
            }
            #expect(error?.message.contains("takes longer to read than allowed") == true)
        }
    }

    @Test("is also refused for the names and links of files that are left out")
    func leftOut() async throws {
        try await withShop { fixture in
            try fixture.expectRefusal(zip(ZipFixtureEntry("__MACOSX/../a", [1])), "leaves the bundle")
            let link = ZipFixtureEntry("a/.DS_Store", Array("/etc".utf8)).with { $0.mode = 0o120_777 }
            try fixture.expectRefusal(zip(link), "is a link to “/etc”, which leaves the bundle")
        }
    }

    @Test("with any byte changed is refused, or installs the same files")
    func changedByte() async throws {
        try await withShop { fixture in
            let sound = zip()
            let texts = ["bundle.json": OddArchiveVariant.manifest, "index.html": OddArchiveVariant.page]
            var options = InstallOptions()
            options.activates = false
            options.replaces = true
            for position in stride(from: 0, to: sound.count, by: 3) {
                var damaged = sound
                damaged[position] ^= 0x21
                do {
                    _ = try fixture.install(damaged, options: options)
                    let installed = try fixture.release("2.0.0").texts
                    #expect(installed == texts.mapValues { $0 }, "byte \(position)")
                } catch let error as BundleError {
                    #expect([.invalidArchive, .invalidManifest].contains(error.code), "byte \(position): \(error)")
                }
            }
            #expect(try fixture.store.verify().isEmpty)
        }
    }
}
