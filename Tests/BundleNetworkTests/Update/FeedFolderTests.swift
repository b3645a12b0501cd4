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

    @Test("what is published can be fetched by what the feed says")
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

    @Test("a version that is offered can't get other content, and nothing changes")
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
        "a feed that is wrong or another bundle's is left alone",
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
