import BundleArchive
import BundleInstall
import BundleStore
import BundleTar
import BundleTesting
import Foundation
import Testing

@Suite("Repairing from an archive")
struct ArchiveRepairSourceTests {
    private func repair(_ fixture: InstallFixture, from archive: String) async throws -> RepairReport {
        let store = try fixture.reopened()
        let repair = try store.beginRepair()
        let installer = Installer(store, formats: .zipAndTar)
        try await ArchiveRepairSource(archive, installer: installer).supply(repair)
        return try repair.commit(waits: false)
    }

    private func lines(_ report: RepairReport) -> [String] {
        report.repaired.map { "\($0.version?.string ?? "-") \($0.path ?? "-")" }
    }

    @Test(
        "repairs damaged files, whatever the archive's name and format",
        arguments: ArchiveFormat.allCases
    )
    func contents(_ format: ArchiveFormat) async throws {
        try await InstallFixture.use { fixture in
            var files = InstallFixture.files()
            // Longer than what is read at a time.
            files["assets/large.txt"] = String(repeating: "large ", count: 100_000)
            _ = try fixture.install(files)
            let archive = try fixture.pack(files, format, as: "again")
            try fixture.damage("large large")
            try fixture.damage("let a = 1")
            let report = try await repair(fixture, from: archive)
            #expect(lines(report) == ["1.0.0 assets/app.js", "1.0.0 assets/large.txt"])
            #expect(report.repaired.allSatisfy { $0.source == archive })
            #expect(report.damage == [])
            #expect(try fixture.reopened().verify() == [])
        }
    }

    @Test("uses a file from another release's archive too, without installing that release")
    func anotherRelease() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            let archive = try fixture.pack(InstallFixture.files("2.0.0"), as: "2.0.0")
            try fixture.damage("let a = 1")
            try fixture.damage("<p>1.0.0")
            let report = try await repair(fixture, from: archive)
            #expect(lines(report) == ["1.0.0 assets/app.js"])
            #expect(report.damage.map(\.path) == ["index.html"])
            #expect(try fixture.reopened().snapshot.bundles.values.flatMap(\.releases).count == 1)
        }
    }

    @Test(
        "reinstalls a release with a damaged index, which stays active, retained or pinned",
        arguments: ["1.0.0", "2.0.0", "3.0.0"],
        [true, false]
    )
    func index(_ version: String, _ isMissing: Bool) async throws {
        try await InstallFixture.use { fixture in
            for version in ["1.0.0", "2.0.0", "3.0.0"] {
                _ = try fixture.install(InstallFixture.files(version))
            }
            let name = BundleName("shop")
            try fixture.store.setPinned(true, name, BundleVersion("1.0.0"))
            let before = try fixture.states()
            try fixture.damageIndex(of: version, isMissing: isMissing)
            let report = try await repair(fixture, from: fixture.pack(InstallFixture.files(version), as: "again"))
            #expect(lines(report) == ["\(version) -"])
            #expect(report.damage == [])
            #expect(try fixture.states() == before)
            #expect(try fixture.reopened().verify() == [])
        }
    }

    @Test(
        "doesn't replace a release with a damaged index by another release",
        arguments: [true, false]
    )
    func otherContent(_ isSameVersion: Bool) async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            try fixture.damageIndex(of: "1.0.0", isMissing: false)
            let files = InstallFixture.files(isSameVersion ? "1.0.0" : "2.0.0").merging(["new.txt": "new"]) { $1 }
            let archive = try fixture.pack(files, as: "other")
            if isSameVersion {
                await #expect(throws: BundleError.self) { _ = try await repair(fixture, from: archive) }
            } else {
                let report = try await repair(fixture, from: archive)
                #expect(report.repaired.isEmpty && report.damage.count == 1)
            }
            #expect(try fixture.reopened().verify().count == 1)
        }
    }

    @Test("an archive without a manifest repairs a release whose manifest can be read")
    func withoutManifest() async throws {
        try await InstallFixture.use { fixture in
            let archive = try fixture.pack(["index.html": "page", "a.js": "let b = 2"], as: "plain")
            var options = InstallOptions()
            options.manifest = try BundleManifest.sample("shop", "1.0.0")
            _ = try fixture.install(archive: archive, options: options)
            try fixture.damageIndex(of: "1.0.0", isMissing: false)
            let report = try await repair(fixture, from: archive)
            #expect(lines(report) == ["1.0.0 -"])
            #expect(try fixture.reopened().verify() == [])
        }
    }

    @Test("a file that isn't an archive is an error, and the damage is still reported")
    func noArchive() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(InstallFixture.files())
            try fixture.damage("let a = 1")
            let store = try fixture.reopened()
            let repair = try store.beginRepair()
            let installer = Installer(store, formats: .zipAndTar)
            let page = try fixture.directory.write("<html>not found", to: "error.zip")
            for (path, code) in [(page, BundleError.Code.invalidArchive), ("/nonexistent/shop.zip", .inputUnavailable)]
            {
                let source = ArchiveRepairSource(path, installer: installer)
                let error = await #expect(throws: BundleError.self) { try await source.supply(repair) }
                #expect(error?.code == code)
            }
            #expect(try repair.commit(waits: false).damage.map(\.path) == ["assets/app.js"])
        }
    }
}

extension InstallFixture {
    /// The store as another process opens it.
    fileprivate func reopened() throws -> BundleStore { try BundleStore(at: store.path) }

    /// The state of each version in its bundle.
    fileprivate func states() throws -> [String] {
        try reopened().snapshot.bundles.values.flatMap(\.releases).map { "\($0.version) \($0.state) \($0.isPinned)" }
    }

    /// Changes a byte of `text` in a segment.
    fileprivate func damage(_ text: String) throws {
        try SegmentDamage.flip(text, inStore: store.path)
    }

    fileprivate func damageIndex(of version: String, isMissing: Bool) throws {
        // The one index without which the version can't be opened.
        let indexes = try directory.snapshot(of: "store/indexes").entries.keys.sorted()
        let before = try states()
        for index in indexes.map({ "store/indexes/\($0)" }) {
            let bytes = try directory.read(index)
            try FileManager.default.removeItem(atPath: directory.path(of: index))
            let isThis = try !states().contains { $0.hasPrefix("\(version) ") }
            if !isThis {
                try directory.write(bytes, to: index)
            } else {
                if !isMissing { try directory.write(bytes.dropLast() + [bytes[bytes.count - 1] ^ 1], to: index) }
                return
            }
        }
        Issue.record("\(version) is not among \(before)")
    }
}
