import BundleInstall
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundlePublishing
@testable import BundleUpdate

/// Installations and updates from a publisher's folder, without a network.
struct FolderUpdateTests {
    private struct Fixture {
        let client: UpdaterFixture
        let publisher: PublisherFixture
        let directory: TemporaryDirectory

        /// The feed in the folder.
        var feed: URL { URL(fileURLWithPath: directory.path(of: "www/feed.json")) }

        init(in directory: TemporaryDirectory, configuration: Updater.Configuration) throws {
            self.directory = directory
            client = try UpdaterFixture(in: directory, local: nil, configuration: configuration)
            publisher = PublisherFixture(directory: directory, network: client.network)
        }
    }

    private func using(
        readsFolders: Bool = true,
        _ change: (inout Updater.Configuration) -> Void = { _ in },
        _ body: (Fixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = Updater.Configuration()
            configuration.places = readsFolders ? .folders : nil
            change(&configuration)
            let fixture = try Fixture(in: directory, configuration: configuration)
            try fixture.publisher.publish("1.0.0", DeliveryFixture.old)
            try await body(fixture)
        }
    }

    @Test func `a release is installed from a folder, which updates follow, by patches and with revocations`()
        async throws
    {
        try await using { fixture in
            let client = fixture.client
            _ = try await client.updater.install(feed: fixture.feed)
            #expect(client.page == "1.0.0")
            let chosen = try client.store.updateState(of: UpdaterFixture.name)?.chosenFeed
            #expect(chosen?.url == fixture.feed.absoluteString)
            try fixture.publisher.publish("1.1.0", DeliveryFixture.new)
            let result = try await client.updater.update(UpdaterFixture.name)
            guard case .updated(_, _, let report?) = result else { throw BundleError(.invalidFeed, "\(result)") }
            #expect(report.plan == .patch)
            #expect(client.page == "1.1.0")
            let version = BundleVersion("1.1.0")
            _ = try FeedFolder(fixture.directory.path(of: "www")).change(UpdaterFixture.name, .revoke(version))
            #expect(try await client.updater.check(UpdaterFixture.name).available?.version.string == "1.0.0")
            #expect(client.network.requests.isEmpty)
            #expect(try client.downloads.isEmpty)
        }
    }

    @Test func `the link may be metered, a folder isn't`() async throws {
        try await using { configuration in
            configuration.isMetered = { true }
            configuration.onMetered = .never
        } _: { fixture in
            _ = try await fixture.client.updater.install(feed: fixture.feed)
            #expect(fixture.client.page == "1.0.0")
        }
    }

    @Test func `without its medium the installation stays, and the next time is at once`() async throws {
        try await using {
            $0.isScheduled = true
        } _: { fixture in
            let (client, stick) = (fixture.client, fixture.directory.path(of: "www"))
            _ = try await client.updater.install(feed: fixture.feed)
            try FileManager.default.moveItem(atPath: stick, toPath: stick + ".gone")
            for _ in 0..<2 {
                let error = await client.failure()
                #expect(error?.code == .networkUnavailable && error?.cause is AbsentPlace)
            }
            #expect(client.page == "1.0.0")
            try FileManager.default.moveItem(atPath: stick + ".gone", toPath: stick)
            try fixture.publisher.publish("1.1.0", DeliveryFixture.new)
            #expect(await client.failure() == nil)
            #expect(client.page == "1.1.0")
        }
    }

    @Test func `an archive with another digest or size is refused, where there is no list of its files`() async throws {
        try await using { fixture in
            let folder = fixture.directory.path(of: "www")
            let lists = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".contents.") }
            #expect(lists.count == 1)
            for list in lists { try FileManager.default.removeItem(atPath: "\(folder)/\(list)") }
            let archive = try fixture.directory.read("www/shop-1.0.0.zip")
            let shorter = Array(archive.dropLast())
            let wrong: [[UInt8]] = [shorter + [archive[archive.count - 1] ^ 1], archive + [0], shorter]
            for bytes in wrong {
                try fixture.directory.write(bytes, to: "www/shop-1.0.0.zip")
                let error = await #expect(throws: BundleError.self) {
                    try await fixture.client.updater.install(feed: fixture.feed)
                }
                #expect(error.map { [.invalidFeed, .networkUnavailable].contains($0.code) } == true)
                #expect(fixture.client.active == nil)
            }
        }
    }

    @Test func `an archive whose files have other digests is refused`() async throws {
        try await using { fixture in
            let archive = try fixture.directory.read("www/shop-1.0.0.zip")
            for bytes in [archive.map { $0 ^ 1 }, Array(archive.prefix(100)), []] {
                try fixture.directory.write(bytes, to: "www/shop-1.0.0.zip")
                await #expect(throws: BundleError.self) {
                    try await fixture.client.updater.install(feed: fixture.feed)
                }
                #expect(fixture.client.active == nil)
            }
        }
    }

    /// What a feed may name as its archive, and what is said of it.
    private static let sources = [
        "../outside.zip", "%2e%2e/outside.zip", "file:///etc/passwd", "file://host/share.zip", "/etc/passwd",
        "sub/../../outside.zip",
        "link.zip", "linked/outside.zip", "fifo.zip",
    ]

    @Test(.timeLimit(.minutes(5)), arguments: sources)
    func `a feed in a folder names nothing outside of it`(source: String) async throws {
        try await using { fixture in
            let directory = fixture.directory
            let archive = try directory.read("www/shop-1.0.0.zip")
            try directory.write(archive, to: "outside.zip")
            for (link, target) in [("www/link.zip", "../outside.zip"), ("www/linked", "..")] {
                try FileManager.default.createSymbolicLink(
                    atPath: directory.path(of: link),
                    withDestinationPath: target
                )
            }
            #expect(mkfifo(directory.path(of: "www/fifo.zip"), 0o600) == 0)
            let entry = UpdaterFixture.entry("1.0.0", size: archive.count, digest: Digest(of: archive), source: source)
            try directory.write(UpdaterFixture.feed("shop", [entry]), to: "www/feed.json")
            await #expect(throws: BundleError.self) { try await fixture.client.updater.install(feed: fixture.feed) }
            #expect(fixture.client.active == nil)
        }
    }

    @Test func `what is below the folder is read`() async throws {
        try await using { fixture in
            let archive = try fixture.directory.read("www/shop-1.0.0.zip")
            try fixture.directory.write(archive, to: "www/sub/a b.zip")
            for source in ["sub/a%20b.zip", "./sub/../sub/a%20b.zip"] {
                let entry = UpdaterFixture.entry(
                    "1.0.0",
                    size: archive.count,
                    digest: Digest(of: archive),
                    source: source
                )
                try fixture.directory.write(UpdaterFixture.feed("shop", [entry]), to: "www/feed.json")
                _ = try await fixture.client.updater.install(feed: fixture.feed)
                #expect(fixture.client.page == "1.0.0")
            }
        }
    }

    @Test func `a feed from the network names no file, not even that of a feed here`() async throws {
        try await using { fixture in
            let archive = try fixture.directory.read("www/shop-1.0.0.zip")
            let file = URL(fileURLWithPath: fixture.directory.path(of: "www/shop-1.0.0.zip")).absoluteString
            for source in [file, "file:/etc/passwd", "FILE:///etc/passwd"] {
                let entry = UpdaterFixture.entry(
                    "1.0.0",
                    size: archive.count,
                    digest: Digest(of: archive),
                    source: source
                )
                fixture.client.network.response(UpdaterFixture.feed, .ok, [:], UpdaterFixture.feed("shop", [entry]))
                let url = try #require(URL(string: UpdaterFixture.feed))
                let error = await #expect(throws: BundleError.self) {
                    try await fixture.client.updater.install(feed: url)
                }
                #expect(error?.code == .invalidFeed)
            }
            #expect(fixture.client.active == nil)
        }
    }

    @Test func `no redirect leads to a file`() async throws {
        try await using { fixture in
            let location: HTTPFields = [.location: fixture.feed.absoluteString]
            fixture.client.network.response(UpdaterFixture.feed, .found, location, "")
            let url = try #require(URL(string: UpdaterFixture.feed))
            let error = await #expect(throws: BundleError.self) { try await fixture.client.updater.install(feed: url) }
            #expect(error?.message.contains("which isn't followed") == true)
        }
    }

    @Test func `a manifest can't name a file as its feed`() {
        let error = #expect(throws: BundleError.self) {
            try BundleManifest.sample("shop", "1.0.0", #""origins": [], "feed": "file:///media/usb/feed.json""#)
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test func `an updater that isn't an operator's reads no file`() async throws {
        try await using(readsFolders: false) { fixture in
            let client = fixture.client
            await #expect(throws: BundleError.self) { try await client.updater.install(feed: fixture.feed) }
            try client.install("1.0.0")
            await #expect(throws: BundleError.self) {
                try await client.updater.check(UpdaterFixture.name, feed: fixture.feed)
            }
            // Even when an operator has chosen it for another program.
            try client.store.choose(
                ChosenFeed(url: fixture.feed.absoluteString, channel: nil),
                for: UpdaterFixture.name
            )
            #expect(await client.failure()?.message.contains("isn't a URL that can be fetched") == true)
            #expect(client.network.requests.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a feed that is a FIFO, a device or endless is refused without waiting`() async throws {
        try await using { fixture in
            let fifo = fixture.directory.path(of: "www/fifo.json")
            #expect(mkfifo(fifo, 0o600) == 0)
            let long = fixture.directory.path(of: "www/long.json")
            _ = FileManager.default.createFile(atPath: long, contents: nil)
            let handle = try #require(FileHandle(forWritingAtPath: long))
            try handle.write(contentsOf: Data("{".utf8))
            // It takes no room on the disk.
            try handle.truncate(atOffset: 1 << 40)
            for path in [fifo, "/dev/zero", long] {
                await #expect(throws: BundleError.self) {
                    try await fixture.client.updater.install(feed: URL(fileURLWithPath: path))
                }
            }
        }
    }
}
