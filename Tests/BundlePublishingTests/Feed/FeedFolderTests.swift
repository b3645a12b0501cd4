import BundleInstall
import BundlePublishing
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import Testing

struct FeedFolderTests {
    private let name = BundleName("shop")
    private let first = BundleVersion("1.0.0")
    private let second = BundleVersion("1.1.0+b1")

    /// An archive whose page has this content.
    private func archive(_ content: String, _ version: BundleVersion) -> [UInt8] {
        let manifest = #"{"name": "shop", "version": "\#(version)", "origins": []}"#
        return ZipFixture([
            ZipFixtureEntry("bundle.json", Array(manifest.utf8)), ZipFixtureEntry("index.html", Array(content.utf8)),
        ]).bytes
    }

    private func draft(_ content: String, _ version: BundleVersion, in directory: TemporaryDirectory) throws
        -> ReleaseDraft
    {
        let path = try directory.write(archive(content, version), to: "in-\(version).zip")
        return try ReleaseDraft(path, options: InstallOptions())
    }

    private func publish(
        _ content: String,
        as version: BundleVersion,
        channels: [String] = [],
        patches: Int = 0,
        keeping kept: Int? = nil,
        at date: Date = Date(timeIntervalSince1970: 0),
        in directory: TemporaryDirectory
    ) throws -> Publication {
        try FeedFolder(directory.path(of: "www/releases"), now: { date })
            .publish(
                draft(content, version, in: directory),
                fileExtension: "zip",
                patchCount: patches,
                keeping: kept.map(FeedRetention.init(releaseCount:)),
                changing: { if !channels.isEmpty { $0.channels = channels } }
            )
    }

    private func feed(in directory: TemporaryDirectory) throws -> Feed {
        let base = try #require(URL(string: "https://a.test/releases/feed.json"))
        return try Feed.parse(directory.read("www/releases/feed.json"), baseURL: base)
    }

    @Test("a published archive can be fetched according to the feed")
    func published() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            _ = try publish("two", as: second, channels: ["beta"], in: directory)
            let releases = try feed(in: directory).releases
            #expect(releases.map(\.version) == [second, first])
            #expect(releases.first?.source.absoluteString == "https://a.test/releases/shop-1.1.0%2Bb1.zip")
            #expect(releases.first?.terms.channels == ["beta"])
            #expect(releases.first?.digest == Digest(of: archive("two", second)))
            #expect(try directory.read("www/releases/shop-1.1.0+b1.zip") == archive("two", second))
            #expect(
                try directory.snapshot(of: "www/releases").files.count == 5,
                "each with a content list, and the feed"
            )
        }
    }

    @Test("the same archive again sets the channels")
    func again() async throws {
        try await withTemporaryDirectory { directory in
            let before = try publish("one", as: first, channels: ["beta"], in: directory)
            let after = try publish("one", as: first, channels: ["stable"], in: directory)
            #expect(!before.isRepeated)
            #expect(after.isRepeated)
            #expect(try feed(in: directory).releases.map(\.terms.channels) == [["stable"]])
        }
    }

    @Test("the same archive again, with nothing said, leaves its terms as they are")
    func unchangedTerms() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, channels: ["beta"], in: directory)
            let rollout = try #require(Rollout(percent: 10))
            let (name, start) = (BundleName("shop"), Date(timeIntervalSince1970: 1_767_225_600))
            let folder = FeedFolder(directory.path(of: "www/releases")) { start }
            _ = try folder.change(name, .rollOut(first, rollout, groups: ["lab"]))
            _ = try publish("one", as: first, in: directory)
            let terms = try feed(in: directory).releases.map(\.terms)
            let expected = ReleaseTerms(channels: ["beta"], rollout: rollout, rolloutSince: start, groups: ["lab"])
            #expect(terms == [expected])
        }
    }

    @Test("an offered version can't get other content, and nothing changes")
    func conflict() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            let before = try directory.snapshot(of: "www")
            let error = #expect(throws: BundleError.self) { try publish("other", as: first, in: directory) }
            #expect(error?.code == .versionConflict)
            #expect(try directory.snapshot(of: "www") == before)
        }
    }

    @Test(
        "a cancelled task leaves the folder as it was",
        arguments: [PublishingStep.copying, .patching(from: BundleVersion("1.0.0"))]
    )
    func cancelled(_ cancelled: PublishingStep) async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            let before = try directory.snapshot(of: "www")
            await #expect(throws: CancellationError.self) {
                try await Task {
                    let draft = try draft(String(repeating: "a", count: 3 << 20), second, in: directory)
                    let folder = FeedFolder(directory.path(of: "www/releases"))
                    let progress: (PublishingStep, ByteProgress) -> Void = { step, _ in
                        guard step == cancelled else { return }
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                    _ = try folder.publish(draft, fileExtension: "zip", patchCount: 3, progress: progress)
                }.value
            }
            #expect(try directory.snapshot(of: "www") == before)
        }
    }

    @Test("an unreadable archive is named in the error", arguments: ["none.zip", "www"])
    func unreadable(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("", to: "www/other.txt")
            let archive = directory.path(of: name)
            let error = #expect(throws: BundleError.self) { try ReleaseDraft(archive, options: InstallOptions()) }
            #expect(error?.code == .inputUnavailable)
            #expect(error?.message.hasPrefix(archive) == true)
        }
    }

    @Test("an archive that is replaced while it is published isn't published")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let draft = try draft("one", first, in: directory)
            try directory.write(archive("two", first), to: "in-1.0.0.zip")
            let folder = FeedFolder(directory.path(of: "www"))
            let error = #expect(throws: BundleError.self) {
                try folder.publish(draft, fileExtension: "zip", patchCount: 0)
            }
            #expect(error?.code == .invalidArchive)
            #expect(try directory.snapshot(of: "www").files.isEmpty)
        }
    }

    @Test(
        "an invalid feed or another bundle's isn't changed",
        arguments: ["{", #"{"name": "other", "versions": []}"#]
    )
    func foreignFeed(_ json: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(json, to: "www/releases/feed.json")
            let before = try directory.snapshot(of: "www")
            let error = #expect(throws: BundleError.self) { try publish("one", as: first, in: directory) }
            #expect(error?.code == .invalidFeed)
            #expect(try directory.snapshot(of: "www") == before)
        }
    }

    @Test("a pre-release needs a channel, and nothing is written without one")
    func preRelease() async throws {
        try await withTemporaryDirectory { directory in
            let version = BundleVersion("1.2.0-rc.1")
            let error = #expect(throws: BundleError.self) { try publish("one", as: version, in: directory) }
            #expect(error?.code == .invalidArgument)
            #expect(try directory.snapshot(of: "").files.keys.sorted() == ["in-1.2.0-rc.1.zip"])
            let publication = try publish("one", as: version, channels: ["beta"], in: directory)
            #expect(publication.report.sequence == 1)
        }
    }

    @Test("each change raises the number, the same again doesn't, and a revoked version stays so")
    func changes() async throws {
        try await withTemporaryDirectory { directory in
            let folder = FeedFolder(directory.path(of: "www/releases"))
            #expect(try publish("one", as: first, in: directory).report.sequence == 1)
            #expect(try publish("one", as: first, in: directory).report.sequence == 1)
            #expect(try publish("two", as: second, in: directory).report.sequence == 2)
            let revoked = try folder.change(name, .revoke(second))
            #expect(revoked.sequence == 3)
            #expect(revoked.changed.map(\.version) == [second])
            #expect(try folder.change(name, .revoke(second)).changed.isEmpty)
            #expect(try feed(in: directory).sequence == 3)
            let error = #expect(throws: BundleError.self) { try publish("two", as: second, in: directory) }
            #expect(error?.code == .versionConflict)
        }
    }

    @Test("what other programs have written into an entry is kept when it is published again")
    func otherMembers() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            let text = String(decoding: try directory.read("www/releases/feed.json"), as: UTF8.self)
            try directory.write(
                text.replacing(
                    "\"src\": \"shop-1.0.0.zip\"",
                    with: "\"signature\": {\"size\": 7}, \"src\": \"shop-1.0.0.zip\""
                ),
                to: "www/releases/feed.json"
            )
            _ = try publish("one", as: first, channels: ["beta"], in: directory)
            let after = String(decoding: try directory.read("www/releases/feed.json"), as: UTF8.self)
            #expect(after.contains("\"signature\": {\n        \"size\": 7\n"))
            #expect(after.contains("\"beta\""))
        }
    }

    @Test("a release that is taken out leaves with its archive, a day later, and no other file does")
    func unpublished() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            _ = try publish("two", as: second, in: directory)
            try directory.write("left", to: "www/releases/shop-0.9.0.zip")
            func change(_ change: FeedChange, atHour hour: Int) throws -> FeedChangeReport {
                let date = Date(timeIntervalSince1970: Double(hour) * 3_600)
                return try FeedFolder(directory.path(of: "www/releases"), now: { date }).change(name, change)
            }
            let own = ["shop-1.0.0.contents.json.zst", "shop-1.0.0.zip"]
            let others = ["shop-0.9.0.zip", "shop-1.1.0+b1.contents.json.zst", "shop-1.1.0+b1.zip"]
            let report = try change(.unpublish(first), atHour: 0)
            #expect(report.removed == [first])
            #expect(report.removedArchives.isEmpty)
            #expect(report.withdrawnArchives == own.map { directory.path(of: "www/releases/\($0)") })
            #expect(try feed(in: directory).releases.map(\.version) == [second])
            for hour in [1, 23] {
                let later = try change(.rollOut(second, #require(Rollout(percent: Double(hour)))), atHour: hour)
                #expect(later.removedArchives.isEmpty && later.withdrawnArchives.isEmpty)
                #expect(
                    try files(in: directory).sorted() == (own + others + ["feed.json", "feed.withdrawn.json"]).sorted()
                )
            }
            let last = try change(.rollOut(second, .everyone), atHour: 24)
            #expect(last.removedArchives == own.map { directory.path(of: "www/releases/\($0)") })
            #expect(try files(in: directory).sorted() == (others + ["feed.json"]).sorted())
        }
    }

    @Test("a version that is published again soon after it was taken out keeps its archive")
    func republished() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            _ = try FeedFolder(directory.path(of: "www/releases"), now: { .distantPast }).change(
                name,
                .unpublish(first)
            )
            _ = try publish("one", as: first, keeping: 1, in: directory)
            #expect(
                try files(in: directory).sorted() == ["feed.json", "shop-1.0.0.contents.json.zst", "shop-1.0.0.zip"]
            )
        }
    }

    @Test("a version that was taken out can't be published with other content while its archive stays")
    func replacedAfterWithdrawal() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            _ = try publish("two", as: second, channels: ["beta"], in: directory)
            let folder = FeedFolder(directory.path(of: "www/releases"), now: { Date(timeIntervalSince1970: 0) })
            _ = try folder.change(name, .unpublish(first))
            let before = try directory.snapshot(of: "www/releases")
            let error = #expect(throws: BundleError.self) { try publish("other", as: first, in: directory) }
            #expect(error?.code == .versionConflict)
            #expect(try directory.snapshot(of: "www/releases") == before)
            let later = FeedFolder(directory.path(of: "www/releases"), now: { Date(timeIntervalSince1970: 86_400) })
            _ = try later.change(name, .rollOut(second, #require(Rollout(percent: 50))))
            _ = try publish("other", as: first, in: directory)
        }
    }

    private func files(in directory: TemporaryDirectory) throws -> [String] {
        Array(try directory.snapshot(of: "www/releases").files.keys)
    }

    @Test("pruning keeps the highest of each channel, and removes archives that no entry names, but no other file")
    func pruned() async throws {
        try await withTemporaryDirectory { directory in
            for (version, channels) in [("1.0.0", []), ("1.1.0", []), ("1.0.0-rc.1", ["beta"]), ("0.9.0", ["lts"])] {
                _ = try publish(version, as: #require(BundleVersion(version)), channels: channels, in: directory)
            }
            for file in [
                "shop-0.1.0.tar.gz", "shop-1.1.0.from-0.1.0.patch", "shop-0.1.0.contents.json.zst", "shop-news.zip",
                "shop-a.from-b.patch", "docs-1.0.0.zip", "notes.txt", "shop-1.0.0.zip.sig",
            ] {
                try directory.write("left", to: "www/releases/\(file)")
            }
            let last = BundleVersion("1.2.0")
            let publication = try publish("new", as: last, keeping: 1, in: directory)
            #expect(publication.report.sequence == 5, "one change")
            #expect(publication.report.removed.map(\.string) == ["1.1.0", "1.0.0"])
            #expect(try feed(in: directory).releases.map(\.version.string) == ["1.2.0", "1.0.0-rc.1", "0.9.0"])
            let kept = [
                "docs-1.0.0.zip", "feed.json", "notes.txt", "shop-0.9.0.contents.json.zst", "shop-0.9.0.zip",
                "shop-1.0.0-rc.1.contents.json.zst", "shop-1.0.0-rc.1.zip", "shop-1.0.0.zip.sig",
                "shop-1.2.0.contents.json.zst", "shop-1.2.0.zip", "shop-a.from-b.patch", "shop-news.zip",
            ]
            let withdrawn = ["1.0.0", "1.1.0"].flatMap { ["shop-\($0).contents.json.zst", "shop-\($0).zip"] }
            #expect(try files(in: directory).sorted() == (kept + withdrawn + ["feed.withdrawn.json"]).sorted())
            let day = Date(timeIntervalSince1970: 86_400)
            let again = try publish("new", as: last, keeping: 1, at: day, in: directory)
            #expect(again.report.sequence == 5)
            #expect(again.report.removedArchives == withdrawn.map { directory.path(of: "www/releases/\($0)") })
            #expect(try files(in: directory).sorted() == kept)
        }
    }

    @Test("pruning withdraws the archives of revoked releases that no patch will start from")
    func revokedArchives() async throws {
        try await withTemporaryDirectory { directory in
            let folder = FeedFolder(directory.path(of: "www/releases"), now: { Date(timeIntervalSince1970: 0) })
            for minor in 0...2 {
                let version = try #require(BundleVersion("1.\(minor).0"))
                _ = try publish("\(minor)", as: version, in: directory)
                if minor < 2 { _ = try folder.change(name, .revoke(version)) }
            }
            let last = BundleVersion("1.3.0")
            let publication = try publish("3", as: last, patches: 3, keeping: 5, in: directory)
            // Of the three highest releases one is revoked.
            let names = ["contents.json.zst", "zip"].map { directory.path(of: "www/releases/shop-1.0.0.\($0)") }
            #expect(publication.report.withdrawnArchives == names)
            #expect(try feed(in: directory).releases.map(\.version.string) == ["1.3.0", "1.2.0", "1.1.0", "1.0.0"])
            let left = try files(in: directory)
            #expect(left.contains("shop-1.1.0.zip") && left.contains("shop-1.2.0.zip"))
        }
    }

    @Test("publishing again adds the patches that are missing, and only those")
    func addedPatches() async throws {
        try await withTemporaryDirectory { directory in
            // Contents that don't shrink, so that patches are worth it.
            var random = SeededGenerator(seed: 1)
            let common = (0..<4_000).map { _ in String(UInt64.random(in: 0 ... .max, using: &random), radix: 36) }
                .joined()
            for minor in 0...2 {
                _ = try publish("\(common) \(minor)", as: #require(BundleVersion("1.\(minor).0")), in: directory)
            }
            let last = BundleVersion("1.3.0")
            func patches(_ count: Int) throws -> (bases: [String], sequence: Int64, entry: FeedEntry) {
                let publication = try publish("\(common) 3", as: last, patches: count, in: directory)
                #expect(publication.warnings == [])
                return (publication.entry.patches.map(\.from.string), publication.report.sequence, publication.entry)
            }
            #expect(try patches(1).bases == ["1.2.0"])
            let more = try patches(3)
            #expect(more.bases == ["1.2.0", "1.1.0", "1.0.0"])
            #expect(more.sequence == 5)
            let same = try patches(2)
            #expect(same.entry == more.entry)
            #expect(same.sequence == 5)
        }
    }

    @Test("a folder without a feed can't be changed")
    func noFeed() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("", to: "www/other.txt")
            let folder = FeedFolder(directory.path(of: "www"))
            let error = #expect(throws: BundleError.self) { try folder.change(name, .revoke(first)) }
            #expect(error?.code == .invalidArgument)
            let missing = FeedFolder(directory.path(of: "nowhere"))
            #expect(throws: BundleError.self) { try missing.change(name, .revoke(first)) }
        }
    }

    @Test("publishers who change one feed at the same time lose nothing of each other")
    func concurrent() async throws {
        try await withTemporaryDirectory { directory in
            let versions = try (1...12).map { try #require(BundleVersion("1.\($0).0")) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for version in versions {
                    group.addTask {
                        let folder = FeedFolder(directory.path(of: "www"))
                        let draft = try draft("content", version, in: directory)
                        _ = try folder.publish(draft, fileExtension: "zip", patchCount: 1)
                        _ = try folder.change(name, .rollOut(version, #require(Rollout(percent: 10))))
                    }
                }
                try await group.waitForAll()
            }
            let json = try directory.read("www/feed.json")
            let feed = try Feed.parse(json, baseURL: #require(URL(string: "https://a.test/feed.json")))
            #expect(feed.sequence == 24)
            #expect(Set(feed.releases.map(\.version)) == Set(versions))
            #expect(feed.releases.allSatisfy { $0.terms.rollout.percent == 10 })
        }
    }
}
