import BundleArchive
import BundleInstall
import BundlePublishing
import BundleStore
import BundleTar
import BundleTesting
import Foundation
import Testing

/// A manifest in a file of its own, in place of that of an archive or a folder.
struct ManifestFileTests {
    private static let other = InstallFixture.manifest("2.0.0", name: "kiosk", more: #", "x-build": 7"#)

    private func file(_ fixture: InstallFixture, _ text: String = other) throws -> ManifestFile {
        try ManifestFile(fixture.directory.write(text, to: "kiosk.json"))
    }

    private func install(_ path: String, _ fixture: InstallFixture, _ text: String = other) throws -> InstallReport {
        let options = InstallOptions()
        return try Installer(fixture.store, formats: .zipAndTar).install(
            archive: path,
            describedBy: file(fixture, text),
            options: options
        )
    }

    /// Files of an archive, by how its own manifest is.
    private static let archives: [[String: String]] = [
        ["bundle.json": InstallFixture.manifest(), "index.html": "<p>"],
        ["bundle.json": "{", "index.html": "<p>"],
        ["index.html": "<p>"],
        ["shop/bundle.json": InstallFixture.manifest(), "shop/index.html": "<p>"],
    ]

    @Test(arguments: archives, [ArchiveFormat.zip, .tar])
    func `an archive is installed by the file, whatever its own is`(
        files: [String: String],
        format: ArchiveFormat
    ) async throws {
        try await InstallFixture.use { fixture in
            let path = try fixture.pack(files, format)
            let report = try install(path, fixture)
            #expect(report.name.string == "kiosk" && report.version.string == "2.0.0")
            #expect(report.warnings.filter { $0.contains("x-build") }.count == 1)
            let release = try #require(fixture.store.snapshot.bundles[report.name]?.release(report.version))
            #expect(release.texts == ["bundle.json": Self.other, "index.html": "<p>"])
        }
    }

    @Test func `macOS metadata is reported once`() async throws {
        try await InstallFixture.use { fixture in
            let path = try fixture.pack(InstallFixture.files().merging([".DS_Store": "x"]) { $1 })
            let report = try install(path, fixture)
            #expect(report.warnings.filter { $0 == "\(path): 1 file that macOS added was left out" }.count == 1)
        }
    }

    @Test func `a folder is installed and packed by the file, which a name and a version still change`() async throws {
        try await InstallFixture.use { fixture in
            let tree = ["bundle.json": "{", "index.html": "<p>"]
            let folder = try fixture.directory.write(tree: tree, to: "dist")
            let installer = Installer(fixture.store, formats: .zipAndTar)
            var packing = PackOptions()
            packing.manifestFile = try file(fixture)
            #expect(try installer.install(folder: folder, packing: packing).name.string == "kiosk")
            packing.manifestFile = try ManifestFile(fixture.directory.write(#"{"origins": []}"#, to: "bare.json"))
            let archive = fixture.directory.path(of: "a.zip")
            let error = #expect(throws: BundleError.self) {
                try Packer().pack(folder, into: archive, format: .zip, options: packing)
            }
            #expect(error?.message.contains("bare.json: ") == true, "\(error?.message ?? "")")
            (packing.name, packing.version) = (BundleName("shop"), BundleVersion("3"))
            #expect(
                try Packer().pack(folder, into: archive, format: .zip, options: packing).manifest.name.string == "shop"
            )
            #expect(try Installer.manifest(of: archive, formats: .zipAndTar).version.string == "3")
        }
    }

    @Test func `the same archive and file give the same bytes`() async throws {
        try await InstallFixture.use { fixture in
            let path = try fixture.pack(InstallFixture.files())
            let file = try file(fixture)
            let outputs = try ["a.zip", "b.zip"].map { name in
                let output = fixture.directory.path(of: name)
                _ = try Installer.replaceManifest(of: path, by: file, into: output, format: .zip)
                return try fixture.directory.read(name)
            }
            #expect(outputs[0] == outputs[1])
        }
    }

    @Test func `a file that is no manifest, too long or not there is refused by its name`() async throws {
        try await InstallFixture.use { fixture in
            let path = try fixture.pack(InstallFixture.files())
            for text in ["", "[]", #"{"name": "shop"}"#, String(repeating: " ", count: (1 << 20) + 1)] {
                let error = #expect(throws: BundleError.self) {
                    try install(path, fixture, text)
                }
                #expect(error?.code == .invalidManifest)
                #expect(error?.message.contains("kiosk.json: ") == true, "\(error?.message ?? "")")
            }
            #expect(fixture.store.snapshot.bundles.isEmpty)
            let fifo = fixture.directory.path(of: "fifo")
            #expect(mkfifo(fifo, 0o600) == 0)
            for place in [fifo, fixture.directory.path(of: "none"), fixture.directory.path, "/dev/zero"] {
                let error = #expect(throws: BundleError.self) { try ManifestFile(place) }
                #expect(error?.code == .inputUnavailable)
                #expect(error?.message.contains(place) == true)
            }
        }
    }
}
