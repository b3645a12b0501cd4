import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("Repairing from the feed's archives")
struct FeedRepairSourceTests {
    /// Truncates the index of the active version, and repairs the store from the archives that `publish` offers.
    private func repair(
        isOffline: Bool = false,
        damaging harm: (TemporaryDirectory) throws -> Void = cutIndexes,
        _ publish: (UpdaterFixture) -> Void
    ) async throws -> (report: RepairReport, store: BundleStore) {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            try directory.write(UpdaterFixture.archive("1.0.0"), to: "archive.zip")
            let first = Installer(fixture.store)
            _ = try first.install(archive: directory.path(of: "archive.zip"))
            publish(fixture)
            try harm(directory)
            let store = try BundleStore(at: directory.path)
            let installer = Installer(store)
            let repair = try store.beginRepair()
            let network = isOffline ? nil : fixture.network
            _ = try await RepairRound(installer, transport: network).run(repair)
            let report = try repair.commit(waits: false)
            #expect(try fixture.downloads == [])
            return (report, store)
        }
    }

    private static func cutIndexes(_ directory: TemporaryDirectory) throws {
        for file in try directory.snapshot(of: "indexes").files.keys {
            try FileHandle(forUpdating: URL(fileURLWithPath: directory.path(of: "indexes/\(file)")))
                .truncate(atOffset: 100)
        }
    }

    private func attempts(_ report: RepairReport) -> [String] { report.attempts.map(\.description) }

    @Test("a release whose index is lost is installed again from the archive with the feed's digest")
    func index() async throws {
        let (report, store) = try await repair { $0.publish("1.0.0") }
        #expect(report.damage == [])
        #expect(
            report.repaired.map(\.description) == [
                "reinstalled shop@1.0.0 from https://get.example.com/shop/shop-1.0.0.zip"
            ]
        )
        #expect(store.snapshot.bundles[UpdaterFixture.name]?.active?.version.string == "1.0.0")
    }

    @Test("a bundle that follows another feed than its manifest's gets the archive from there")
    func chosenFeed() async throws {
        let feed = "https://get.example.com/shop/other.json"
        let (report, _) = try await repair { fixture in
            fixture.publish([("1.0.0", [])], feed: feed)
            #expect(throws: Never.self) {
                try fixture.store.choose(ChosenFeed(url: feed, channel: nil), for: UpdaterFixture.name)
            }
        }
        #expect(report.damage == [] && report.repaired.count == 1, "\(attempts(report))")
    }

    @Test("a file whose content is lost is taken from the archive when no origin has it")
    func content() async throws {
        let (report, _) = try await repair(damaging: { try SegmentDamage.flip("1.0.0", inStore: $0.path) }) {
            $0.publish("1.0.0")
            $0.network.response("https://m.example.com/shop/index.html", .ok, [:], "newer")
        }
        #expect(report.damage == [])
        #expect(report.repaired.map(\.source) == ["https://get.example.com/shop/shop-1.0.0.zip"])
        #expect(
            attempts(report) == [
                "tried store: 0 of 1 missing contents", "tried https://m.example.com/shop/: 0 of 1 missing files",
                "tried https://get.example.com/shop/shop-1.0.0.zip: 1 of 1 missing contents",
            ]
        )
    }

    @Test("an archive with other content than installed isn't used, and the report lists the sources")
    func otherContent() async throws {
        let (report, _) = try await repair { fixture in
            fixture.publish([("1.0.0", [])]) { _ in
                let manifest = #"{"name": "shop", "version": "1.0.0", \#(UpdaterFixture.members)}"#
                return ZipFixture([
                    ZipFixtureEntry("index.html", Array("other".utf8)),
                    ZipFixtureEntry("bundle.json", Array(manifest.utf8)),
                ]).bytes
            }
        }
        #expect(report.repaired == [])
        #expect(report.damage.count == 1)
        #expect(attempts(report).last?.contains("is installed with other content") == true)
    }

    @Test("a feed that lacks the version, an unavailable feed, and a network that is off are reported")
    func nothing() async throws {
        let lacking = try await repair { $0.publish("2.0.0") }.report
        #expect(attempts(lacking).last == "tried \(UpdaterFixture.feed): doesn't offer shop@1.0.0")
        let absent = try await repair { _ in }.report
        #expect(attempts(absent).last?.hasPrefix("tried \(UpdaterFixture.feed): ") == true)
        let offline = try await repair(isOffline: true) { $0.publish("1.0.0") }.report
        #expect(attempts(offline) == ["tried store: nothing for shop@1.0.0"])
        for report in [lacking, absent, offline] {
            #expect(report.damage.count == 1)
            #expect(report.damage.allSatisfy { $0.afterRepair.remedy == .replaceUnrepairable(.release) })
        }
    }

    @Test(
        "an archive that is too long or for which there is no room isn't fetched, and leaves nothing",
        arguments: [true, false]
    )
    func room(isQuota: Bool) async throws {
        let (report, _) = try await repair { fixture in
            let archive = UpdaterFixture.archive("1.0.0")
            let size = isQuota ? archive.count : 1 << 40
            let entry = UpdaterFixture.entry("1.0.0", size: size, digest: Digest(of: archive))
            fixture.network.response(UpdaterFixture.feed, .ok, [:], UpdaterFixture.feed("shop", [entry]))
            fixture.network.response(UpdaterFixture.source("1.0.0")) { _ in
                Issue.record("the archive was fetched")
                return OriginResponse(.ok, [:], [archive])
            }
            let path = fixture.downloadPath(for: Digest(of: archive))
            #expect(FileManager.default.createFile(atPath: path, contents: Data(archive.prefix(10))))
            if isQuota { #expect(throws: Never.self) { try fixture.store.setQuota(1) } }
        }
        #expect(report.damage.count == 1)
        #expect(attempts(report).last?.contains("nothing was fetched") == true)
    }

    @Test("an archive that can't be written doesn't discard what other sources have supplied")
    func unwritable() async throws {
        let harm: (TemporaryDirectory) throws -> Void = { directory in
            for text in ["1.0.0", "1.1.0"] { try SegmentDamage.flip(text, inStore: directory.path) }
        }
        let (report, _) = try await repair(damaging: harm) { fixture in
            let path = fixture.downloadPath(for: Digest(of: fixture.publish("1.0.0")))
            #expect(throws: Never.self) {
                try fixture.install("1.1.0")
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            fixture.network.response("https://m.example.com/shop/index.html", .ok, [:], "1.1.0")
        }
        #expect(report.repaired.map(\.source) == ["https://m.example.com/shop/index.html"])
        #expect(report.damage.count == 1)
        #expect(attempts(report).last?.contains("shop-1.0.0.zip: the download") == true)
    }
}
