import BundleNetwork
import BundleStore
import BundleTesting
import Foundation
import Testing

struct FeedFolderTests {
    private let name = BundleName("shop")!
    private let first = BundleVersion("1.0.0")!
    private let second = BundleVersion("1.1.0+b1")!

    private func publish(
        _ content: String,
        as version: BundleVersion,
        channels: [String] = [],
        in directory: TemporaryDirectory
    ) throws -> Publication {
        let archive = try directory.write(content, to: "in.zip")
        return try FeedFolder(directory.path(of: "www/releases"))
            .publish(archive, as: name, version, fileExtension: "zip", channels: channels)
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
            #expect(releases.first?.channels == ["beta"])
            #expect(releases.first?.digest == Digest(of: Array("two".utf8)))
            #expect(try directory.read("www/releases/shop-1.1.0+b1.zip") == Array("two".utf8))
            #expect(try directory.snapshot(of: "www/releases").files.count == 3)
        }
    }

    @Test("the same archive again sets the channels")
    func again() async throws {
        try await withTemporaryDirectory { directory in
            let before = try publish("one", as: first, channels: ["beta"], in: directory)
            let after = try publish("one", as: first, channels: ["stable"], in: directory)
            #expect(!before.isRepeated)
            #expect(after.isRepeated)
            #expect(try feed(in: directory).releases.map(\.channels) == [["stable"]])
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

    @Test("a cancelled task leaves the folder as it was")
    func cancelled() async throws {
        try await withTemporaryDirectory { directory in
            _ = try publish("one", as: first, in: directory)
            let archive = try directory.write(String(repeating: "a", count: 3 << 20), to: "in.zip")
            let before = try directory.snapshot(of: "www")
            let folder = FeedFolder(directory.path(of: "www/releases"))
            await #expect(throws: CancellationError.self) {
                try await Task {
                    try folder.publish(archive, as: name, second, fileExtension: "zip", channels: []) { _ in
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                }.value
            }
            #expect(try directory.snapshot(of: "www") == before)
        }
    }

    @Test("an unreadable archive is named in the error", arguments: ["none.zip", "www"])
    func unreadable(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let archive = directory.path(of: name)
            let folder = FeedFolder(directory.path(of: "www"))
            let error = #expect(throws: BundleError.self) {
                try folder.publish(archive, as: self.name, first, fileExtension: "zip", channels: [])
            }
            #expect(error?.code == .invalidArchive)
            #expect(error?.message.hasPrefix(archive) == true)
            let left = try directory.snapshot(of: "www")
            #expect(left.entries.isEmpty)
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
}
