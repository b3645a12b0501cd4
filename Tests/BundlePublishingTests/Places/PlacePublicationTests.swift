import BundleInstall
import BundleStore
import BundleTesting
import BundleTrust
import BundleUpdate
import Foundation
import Testing

@testable import BundlePublishing

@Suite("A publication to a place over the network")
struct PlacePublicationTests {
    private func publication(_ place: MemoryPlace, at date: Date = SignedSite.start) -> PlacePublication {
        PlacePublication(place, now: { date }, sleep: { _ in })
    }

    /// Publishes a release with signatures.
    @discardableResult
    private func publish(
        _ version: BundleVersion,
        of site: SignedSite,
        to place: MemoryPlace,
        at date: Date = SignedSite.start
    ) async throws -> Publication {
        let draft = try ReleaseDraft(site.archive(version), options: InstallOptions())
        return try await publication(place, at: date).run { folder in
            try folder.publish(draft, fileExtension: "zip", patchCount: 0, signing: site.signing())
        }
    }

    private func change(_ change: FeedChange, of site: SignedSite, in place: MemoryPlace) async throws {
        _ = try await publication(place).run { try $0.change(SignedSite.name, change, signing: site.signing()) }
    }

    /// What a new device may install, and the feed that it follows.
    private func read(_ place: MemoryPlace, _ site: SignedSite) async throws -> (targets: Int, feed: FeedDocument) {
        let folder = "read-\(UUID().uuidString)"
        for (name, bytes) in place.files { try site.directory.write(bytes, to: "\(folder)/\(name)") }
        let feed = URL(fileURLWithPath: site.path(of: "\(folder)/feed.json"))
        let published = try await FeedOrigin(feed, over: ScriptedTransport(), Updater.Configuration())
            .read(site.signing().anchor, at: SignedSite.start)
        let document = try FeedDocument.parse(published.bytes, named: "feed.json")
        return (published.signatures?.state.targets?.targets.count ?? 0, document)
    }

    @Test("brings there what a folder would have, and reports the place's name")
    func same() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            for version: BundleVersion in ["1.0.0", "1.1.0"] { try await publish(version, of: site, to: place) }
            let report = try await publish(BundleVersion("1.2.0"), of: site, to: place)
            #expect(report.report.feedName == "s3://bucket/shop/feed.json")
            #expect(report.archivePath == "s3://bucket/shop/shop-1.2.0.zip")
            try site.forgetVersion()
            for version: BundleVersion in ["1.0.0", "1.1.0", "1.2.0"] { try site.publish(version) }
            #expect(try place.files.mapValues { Digest(of: $0) } == directory.snapshot(of: "www").files)
        }
    }

    @Test("fetches the documents, and of the archives those alone that it needs")
    func downloads() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            for version: BundleVersion in ["1.0.0", "1.1.0"] { try await publish(version, of: site, to: place) }
            #expect(!place.downloaded.contains { $0.hasSuffix(".zip") })
            let draft = try ReleaseDraft(site.archive(BundleVersion("1.2.0")), options: InstallOptions())
            let report = try await publication(place).run(needing: { _ in ["shop-1.1.0.zip", "gone.zip"] }) { folder in
                try folder.publish(draft, fileExtension: "zip", patchCount: 1, signing: site.signing())
            }
            #expect(place.downloaded.filter { $0.hasSuffix(".zip") } == ["shop-1.1.0.zip"])
            #expect(
                report.entry.patches.map(\.from.string) == ["1.1.0"]
                    || report.unpatched.map(\.version.string) == ["1.1.0"]
            )
        }
    }

    @Test("of eight at once none is lost, and a device can follow the feed at any time")
    func concurrent() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            let versions = try (0..<8).map { try #require(BundleVersion(String("1.\($0).0"))) }
            for version in versions { try await publish(version, of: site, to: place) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, version) in versions.enumerated() {
                    let share = try #require(Rollout(percent: Double(index + 1)))
                    group.addTask { try await change(.rollOut(version, share), of: site, in: place) }
                }
                try await group.waitForAll()
            }
            let feed = try await read(place, site).feed
            #expect(feed.entries.map(\.terms.rollout.percent) == [8, 7, 6, 5, 4, 3, 2, 1])
        }
    }

    @Test("begins again where somebody else has published since it has read what is there")
    func conflict() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            for version: BundleVersion in ["1.0.0", "1.1.0"] { try await publish(version, of: site, to: place) }
            // Another publisher is faster.
            place.onNextContents { try? await change(.revoke(BundleVersion("1.1.0")), of: site, in: place) }
            try await change(.rollOut(BundleVersion("1.0.0"), #require(Rollout(percent: 50))), of: site, in: place)
            let entries = try await read(place, site).feed.entries
            #expect(entries.map(\.terms.isRevoked) == [true, false])
            #expect(entries.map(\.terms.rollout.percent) == [100, 50])
        }
    }

    @Test("that ends at any step leaves readers the feed before or the one after, and the next one completes it")
    func killed() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            for step in 0... {
                let place = MemoryPlace()
                try site.forgetVersion()
                try await publish(BundleVersion("1.0.0"), of: site, to: place)
                place.kill(after: step)
                let isWhole: Bool
                do {
                    try await publish(BundleVersion("1.1.0"), of: site, to: place)
                    isWhole = true
                } catch is MemoryPlace.Killed {
                    isWhole = false
                }
                let between = try await read(place, site)
                #expect([1, 2].contains(between.targets))
                #expect(between.feed.entries.count == between.targets)
                place.kill(after: nil)
                try await publish(BundleVersion("1.1.0"), of: site, to: place)
                #expect(try await read(place, site).targets == 2)
                guard !isWhole else { break }
            }
        }
    }

    @Test("that the place refuses in the middle isn't begun again")
    func refused() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            try await publish("1.0.0", of: site, to: place)
            let count = place.files.count
            place.refuse(after: 1)
            let error = await #expect(throws: BundleError.self) { try await publish("1.1.0", of: site, to: place) }
            #expect(error?.code == .outputUnavailable)
            #expect(place.files.count == count + 1)
        }
    }

    @Test("removes from the place what nobody needs after a day")
    func removal() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            for version: BundleVersion in ["1.0.0", "1.1.0"] { try await publish(version, of: site, to: place) }
            try await change(.unpublish(BundleVersion("1.0.0")), of: site, in: place)
            #expect(place.files["shop-1.0.0.zip"] != nil)
            try await publish(BundleVersion("1.2.0"), of: site, to: place, at: SignedSite.start + 86_401)
            #expect(place.files["shop-1.0.0.zip"] == nil)
            #expect(place.files["1.snapshot.json"] == nil)
            #expect(place.files["shop-1.1.0.zip"] != nil)
        }
    }

    @Test("a copy of a feed goes to a place, and the next one sends what is missing there")
    func copy() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            func copy() async throws -> [String] {
                let feed = URL(fileURLWithPath: site.path(of: "www/feed.json"))
                let origin = try FeedOrigin(feed, over: ScriptedTransport(), Updater.Configuration())
                let report = try await publication(place).run { folder in
                    try await FeedMirror(folder).copy(origin, by: site.signing().anchor)
                }
                #expect(report.feedName == "s3://bucket/shop/feed.json")
                return report.copied.map(\.path.string).sorted()
            }
            try site.publish(BundleVersion("1.0.0"))
            #expect(try await copy() == ["shop-1.0.0.contents.json.zst", "shop-1.0.0.zip"])
            #expect(try await read(place, site).targets == 1)
            try site.publish(BundleVersion("1.1.0"))
            #expect(try await copy() == ["shop-1.1.0.contents.json.zst", "shop-1.1.0.zip"])
            #expect(try await read(place, site).targets == 2)
            #expect(!place.downloaded.contains { $0.hasSuffix(".zip") })
        }
    }

    @Test("an error names the place, and not the working copy")
    func errors() async throws {
        try await withTemporaryDirectory { directory in
            let (site, place) = (try SignedSite(directory), MemoryPlace())
            let error = await #expect(throws: BundleError.self) {
                try await change(.revoke(BundleVersion("1.0.0")), of: site, in: place)
            }
            #expect(error?.message.contains("s3://bucket/shop/feed.json") == true)
        }
    }

    @Test(
        "names that can't be those of files are left out",
        arguments: ["", ".", "..", "a/b", "a\0b", String(repeating: "a", count: 256)]
    )
    func names(_ name: String) {
        let file = PlaceContents.File(size: 1, digest: nil, revision: "1")
        #expect(PlaceContents(files: [name: file, "feed.json": file]).files.keys.sorted() == ["feed.json"])
    }
}
