import BundleArchive
import BundleInstall
import BundleStore
import BundleTar
import BundleTesting
import Synchronization
import Testing

@Suite("Installer")
struct InstallerTests {
    @Test("every format installs the same release")
    func formats() async throws {
        var digests: Set<Digest> = []
        for format in ArchiveFormat.allCases {
            try await InstallFixture.use { fixture in
                let report = try fixture.install(archive: fixture.pack(InstallFixture.files(), format))
                #expect((report.outcome, report.fileCount, report.name.string) == (.installed, 5, "shop"))
                let expected = InstallFixture.files().values.reduce(0) { $0 + $1.utf8.count }
                #expect((report.byteCount, report.newByteCount) == (UInt64(expected), UInt64(expected)))
                let release = try fixture.release()
                #expect(release.texts == InstallFixture.files().mapValues { $0 })
                #expect(release.state == .active)
                digests.insert(release.contentDigest)
            }
        }
        #expect(digests.count == 1)
    }

    @Test("the same content in another format, order or folder is the same release", arguments: ArchiveFormat.allCases)
    func again(_ format: ArchiveFormat) async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            let report = try fixture.install(archive: fixture.pack(InstallFixture.files(), format))
            #expect((report.outcome, report.newByteCount) == (.unchanged, 0))
            let nested = Dictionary(uniqueKeysWithValues: InstallFixture.files().map { ("top/\($0.key)", $0.value) })
            #expect(try fixture.install(archive: fixture.pack(nested, format)).outcome == .unchanged)
        }
    }

    @Test("tar's spellings of the root are accepted", arguments: ["./", ".//", "././"])
    func leadingDots(_ prefix: String) async throws {
        try await InstallFixture.use { fixture in
            let files = InstallFixture.files().sorted { $0.key < $1.key }
            let folders = [prefix, prefix + "assets/"].map { name in TarFixtureEntry(name).with { $0.typeFlag = "5" } }
            let entries = folders + files.map { TarFixtureEntry(prefix + $0.key, Array($0.value.utf8)) }
            let report = try fixture.install(TarFixture(entries).bytes)
            #expect(report.fileCount == 5)
            #expect(try fixture.release().texts == InstallFixture.files().mapValues { $0 })
        }
    }

    @Test("only new content is counted and written for the next version")
    func newContent() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            let report = try fixture.install(InstallFixture.files("1.1.0"))
            let changed = InstallFixture.manifest("1.1.0").utf8.count + "<p>1.1.0".utf8.count
            #expect(report.newByteCount == UInt64(changed))
            #expect(try fixture.release("1.0.0").texts == InstallFixture.files().mapValues { $0 })
            #expect(try fixture.release("1.1.0").texts == InstallFixture.files("1.1.0").mapValues { $0 })
        }
    }

    @Test("different content under the same version is refused, unless replacing is requested")
    func conflict() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            let other = InstallFixture.files().merging(["new.js": "x"]) { $1 }
            let error = #expect(throws: BundleError.self) { try fixture.install(other) }
            #expect(error?.code == .versionConflict)
            var options = InstallOptions()
            options.replaces = true
            #expect(try fixture.install(other, options: options).outcome == .installed)
            #expect(try fixture.release().texts["new.js"] == "x")
        }
    }

    @Test("without activation the release is installed but not served")
    func inactive() async throws {
        try await InstallFixture.use { fixture in
            var options = InstallOptions()
            options.activates = false
            _ = try fixture.install(InstallFixture.files(), options: options)
            #expect(try fixture.release().state == .installed)
            #expect(try fixture.install(InstallFixture.files()).outcome == .activated)
            #expect(try fixture.release().state == .active)
        }
    }

    @Test("a missing archive is named")
    func missing() async throws {
        try await InstallFixture.use { fixture in
            let path = fixture.directory.path(of: "missing.zip")
            let error = #expect(throws: BundleError.self) { try fixture.install(archive: path) }
            #expect(error?.code == .inputUnavailable)
            #expect(error?.message.hasPrefix(path) == true)
            #expect(fixture.store.snapshot.bundles.isEmpty)
        }
    }

    @Test("progress rises to the archive's size")
    func progress() async throws {
        try await InstallFixture.use { fixture in
            let archive = try fixture.pack(InstallFixture.files())
            let byteCount = try Int64(fixture.directory.read("archive").count)
            var steps: [ByteProgress] = []
            _ = try Installer(fixture.store, formats: .zipAndTar).install(archive: archive) { steps.append($0) }
            #expect(steps.map(\.done) == steps.map(\.done).sorted())
            #expect(steps.allSatisfy { $0.total == byteCount })
            #expect(steps.last.map { $0.done > 0 } == true)
        }
    }

    @Test("a cancelled task ends inside a file, and nothing is left; so does a validation")
    func cancelled() async throws {
        try await InstallFixture.use { fixture in
            let archive = try fixture.pack(["large": String(repeating: "a", count: 5 << 20)], .tar)
            let before = try fixture.directory.snapshot(of: "store").files.filter { !$0.key.hasPrefix("locks/") }
            let steps = Mutex<[ByteProgress]>([])
            let progress = { @Sendable (progress: ByteProgress) in
                steps.withLock { $0.append(progress) }
                withUnsafeCurrentTask { $0?.cancel() }
            }
            await #expect(throws: CancellationError.self) {
                try await Task { _ = try Installer.validate(archive: archive, formats: .zipAndTar, progress: progress) }
                    .value
            }
            let installer = Installer(fixture.store, formats: .zipAndTar)
            await #expect(throws: CancellationError.self) {
                try await Task { _ = try installer.install(archive: archive, progress: progress) }.value
            }
            #expect(steps.withLock { $0.count } == 2)
            let after = try fixture.directory.snapshot(of: "store").files.filter { !$0.key.hasPrefix("locks/") }
            #expect(after.keys.sorted() == before.keys.sorted())
        }
    }

    @Test("hundreds of files with ten thousand bytes each are read back")
    func many() async throws {
        try await InstallFixture.use { fixture in
            var files = InstallFixture.files()
            for number in 0..<300 { files["pages/\(number)"] = String(repeating: "\(number % 50) ", count: 3_000) }
            _ = try fixture.install(archive: fixture.pack(files, .tar))
            let release = try fixture.release()
            #expect(release.fileCount == files.count)
            let same = release.texts.allSatisfy { $0.value == files[$0.key] }
            #expect(same)
        }
    }
}
