import BundleInstall
import BundleStore
import BundleTar
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@Suite("How a release is delivered")
struct DeliveryTests {
    @Test("a patch is fetched when the store has the release that it is for, and nothing else")
    func patch() async throws {
        try await DeliveryFixture.using { fixture in
            let publisher = fixture.publisher
            let report = try await fixture.update()
            let size = Int64(try #require(try publisher.files()[DeliveryFixture.patch]).count)
            #expect(report == DeliveryReport(plan: .patch, predictedByteCount: size, receivedByteCount: size))
            #expect(publisher.requests == ["feed.json", DeliveryFixture.patch])
            try fixture.expectUpdated()
        }
    }

    @Test("beside a patch the content list is read only when the store has more than the patch's base")
    func listBesidePatch() async throws {
        try await DeliveryFixture.using { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            try client.store.install(
                try BundleManifest.sample("docs", "3.0.0", DeliveryFixture.sibling),
                files: ["x/n.js": DeliveryFixture.text(5), "b.js": DeliveryFixture.text(2) + "!"]
            )
            let report = try await fixture.update()
            #expect((report.plan, report.failures) == (.entries, []))
            #expect(publisher.requests.prefix(2) == ["feed.json", DeliveryFixture.list])
            #expect(!publisher.requests.contains(DeliveryFixture.patch))
            try fixture.expectUpdated()
        }
    }

    @Test("without a patch, only the files are fetched that the store lacks, with those between them")
    func entries() async throws {
        try await DeliveryFixture.using(patches: 0) { fixture in
            let publisher = fixture.publisher
            let report = try await fixture.update()
            #expect((report.plan, report.failures) == (.entries, []))
            #expect(report.predictedByteCount == report.receivedByteCount)
            let files = try publisher.files()
            let needed = 3 * 20_000 + 4 + (try #require(files[DeliveryFixture.list])).count
            #expect(report.receivedByteCount > needed - 20_000 && report.receivedByteCount < needed)
            #expect(publisher.requests.prefix(2) == ["feed.json", DeliveryFixture.list])
            #expect(publisher.requests.dropFirst(2).allSatisfy { $0.hasPrefix("\(DeliveryFixture.archive) bytes=") })
            let codings = publisher.network.requests.map { $0.headerFields[.acceptEncoding] }
            #expect(codings.first == "zstd, gzip" && codings.dropFirst().allSatisfy { $0 == "identity" })
            try fixture.expectUpdated()
        }
    }

    @Test("contents that a bundle of the feed's host has aren't fetched")
    func otherBundle() async throws {
        try await DeliveryFixture.using(patches: 0) { fixture in
            let client = fixture.client
            try client.store.install(
                try BundleManifest.sample("docs", "3.0.0", DeliveryFixture.sibling),
                files: ["x/n.js": DeliveryFixture.text(5), "b.js": DeliveryFixture.text(2) + "!"]
            )
            let report = try await fixture.update()
            #expect(report.plan == .entries)
            #expect(report.receivedByteCount < 2_000, "the page, the manifest, and the list")
            try fixture.expectUpdated()
        }
    }

    @Test(
        "contents that only another publisher's bundle has are fetched, unless the operator shares them",
        arguments: [
            "", "https://bank.example/docs/", "https://m.example.com/docs/", "https://get.example.com:8443/docs/",
        ],
        [false, true]
    )
    func otherPublisher(origin: String, isShared: Bool) async throws {
        var configuration = Updater.Configuration()
        configuration.sharesContents = isShared
        try await DeliveryFixture.using(patches: 0, configuration: configuration) { fixture in
            let origins = origin.isEmpty ? "" : #"{"url": "\#(origin)", "path": "/"}"#
            try fixture.client.store.install(
                try BundleManifest.sample("docs", "3.0.0", #""origins": [\#(origins)]"#),
                files: ["x/n.js": DeliveryFixture.text(5), "b.js": DeliveryFixture.text(2) + "!"]
            )
            let report = try await fixture.update()
            #expect((report.receivedByteCount < 2_000) == isShared)
            #expect(isShared || report.receivedByteCount > 2 * 18_000)
            try fixture.expectUpdated()
        }
    }

    @Test("contents of an earlier publisher of the bundle's name are fetched")
    func earlierPublisher() async throws {
        try await DeliveryFixture.using(patches: 0) { fixture in
            try fixture.client.store.install(
                try BundleManifest.sample(
                    "shop",
                    "0.9.0",
                    #""origins": [{"url": "https://bank.example/", "path": "/"}]"#
                ),
                files: ["x/n.js": DeliveryFixture.text(5), "b.js": DeliveryFixture.text(2) + "!"],
                activating: false
            )
            #expect(try await fixture.update().receivedByteCount > 2 * 18_000)
            try fixture.expectUpdated()
        }
    }

    @Test("a feed that the bundle doesn't follow gets nothing of its contents")
    func otherFeed() async throws {
        try await DeliveryFixture.using { fixture in
            let other = ChosenFeed(url: "https://get.example.org/feed.json", channel: nil)
            try fixture.client.store.choose(other, for: UpdaterFixture.name)
            let feed = try #require(URL(string: UpdaterFixture.feed))
            _ = try await fixture.client.updater.install(feed: feed)
            let requests = fixture.publisher.requests
            #expect(!requests.contains { $0.hasPrefix(DeliveryFixture.patch) })
            #expect(requests.contains { $0.hasPrefix(DeliveryFixture.archive) })
            try fixture.expectUpdated()
        }
    }

    @Test("when nothing is lacking, nothing is fetched but the list")
    func nothingLacking() async throws {
        try await DeliveryFixture.using(patches: 0) { fixture in
            let (client, publisher) = (fixture.client, fixture.publisher)
            let files = DeliveryFixture.new.merging(["index.html": "1.1.0"]) { $1 }
            let manifest = PublisherFixture.manifest("1.1.0")
            try client.store.install(
                try BundleManifest.sample("docs", "3.0.0", DeliveryFixture.sibling),
                files: files.merging(["copy.json": manifest]) { $1 }
            )
            let report = try await fixture.update()
            #expect(report.receivedByteCount == Int64(try #require(try publisher.files()[DeliveryFixture.list]).count))
            #expect(!publisher.requests.contains { $0.hasPrefix(DeliveryFixture.archive) })
            try fixture.expectUpdated()
        }
    }

    @Test("when everything is new, the archive is fetched as a whole")
    func everythingNew() async throws {
        let new = Dictionary(uniqueKeysWithValues: (10..<14).map { ("\($0).js", DeliveryFixture.text(UInt64($0))) })
        try await DeliveryFixture.using(patches: 0, new: new) { fixture in
            let publisher = fixture.publisher
            let report = try await fixture.update()
            let size = try #require(try publisher.files()[DeliveryFixture.archive]).count
            #expect(report.receivedByteCount <= size + size / 8)
            try fixture.expectUpdated(to: new)
        }
    }

    @Test("a compressed tar has patches, and no ranges")
    func compressedTar() async throws {
        try await withTemporaryDirectory { directory in
            let client = try UpdaterFixture(in: directory, local: nil)
            let publisher = PublisherFixture(directory: directory, network: client.network)
            let fixture = DeliveryFixture(client: client, publisher: publisher)
            for (version, files) in [("1.0.0", DeliveryFixture.old), ("1.1.0", DeliveryFixture.new)] {
                let manifest = #"{"name": "shop", "version": "\#(version)", \#(UpdaterFixture.members)}"#
                let all = files.merging(["bundle.json": manifest, "index.html": version]) { $1 }
                let tar = TarFixture(
                    all.sorted { $0.key < $1.key }.map { TarFixtureEntry($0.key, Array($0.value.utf8)) }
                )
                try publisher.publish(
                    version,
                    [:],
                    fileExtension: "tar.gz",
                    archive: { _ in GzipFixture(tar.bytes).bytes }
                )
                if version == "1.0.0" {
                    _ = try Installer(client.store, formats: .zipAndTar).install(
                        archive: directory.path(of: "in-1.0.0")
                    )
                }
            }
            publisher.response(DeliveryFixture.patch) { _ in OriginResponse(.notFound, [:], "") }
            let report = try await fixture.update()
            #expect((report.plan, report.failures.map(\.plan)) == (.archive, [.patch]))
            try fixture.expectUpdated()
        }
    }
}
