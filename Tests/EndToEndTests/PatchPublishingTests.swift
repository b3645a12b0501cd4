import BundleTesting
import Foundation
import Testing

/// Which patches `publish` makes, and what it says of the others.
struct PatchPublishingTests {
    @Test func `a few bytes that change among many files reach a metered link as a patch`() async throws {
        try await withFeedSite { site in
            var archives: [String] = []
            for version in ["1.0.0", "1.1.0"] {
                archives.append(
                    try await Self.archive(site, version) { number in
                        "\(number &* 2_654_435_761 % 4_294_967_291)" + (number == 77 ? version : "")
                    }
                )
            }
            try await Self.publish(archives[0], site)
            #expect(try await !Self.publish(archives[1], site).output.contains("no patch"))
            let feed = try JSONDecoder().decode(
                AnyJSON.self,
                from: Data(contentsOf: URL(fileURLWithPath: site.folder("many") + "/feed.json"))
            )
            let entry = try #require(feed["versions"]?.array?.first { $0["version"]?.string == "1.1.0" })
            let patch = try #require(entry["patches"]?.array?.first?["size"]?.integer)
            let list = try #require(entry["contents"]?["size"]?.integer)
            #expect(patch < 1_000 && list > 50_000)

            try await site.bundlectl.expect(0, "install", archives[0])
            try await site.bundlectl.expect(0, "network", "metered", "on")
            let update = try await site.bundlectl.json("update", "many")
            #expect(update["bundles"]?.array?.first?["plan"]?.string == "patch", "\(update)")
            #expect(try await site.active("many") == "1.1.0")
        }
    }

    @Test func `publish says why there is no patch from a release`() async throws {
        try await withFeedSite { site in
            for version in ["1.0.0", "1.1.0", "1.2.0"] {
                let archive = try await Self.archive(site, version) { number in
                    version == "1.2.0" ? "changed \(number &* 2_654_435_761 % 4_294_967_291)" : "\(number)"
                }
                try await Self.publish(archive, site, "--patches", "0")
            }
            try FileManager.default.removeItem(atPath: site.folder("many") + "/many-1.0.0.zip")
            try Data("another".utf8).write(to: URL(fileURLWithPath: site.folder("many") + "/many-1.1.0.zip"))
            let archive = try await Self.archive(site, "1.3.0") { "\($0 &* 40_503 % 65_521) 1.3.0" }
            let result = try await Self.publish(archive, site)
            #expect(result.output.contains("no patch from 1.0.0: its archive isn't in the folder\n"))
            #expect(result.output.contains("no patch from 1.1.0: its archive isn't the one that the feed offers\n"))
            let json = try await site.bundlectl.json("publish", archive, "--to", site.folder("many"))
            #expect(json["withoutPatch"]?.array?.map { $0["from"]?.string }.contains("1.0.0") == true)
        }
    }

    @discardableResult
    private static func publish(_ archive: String, _ site: FeedSite, _ options: String...) async throws -> ProcessResult
    {
        let result = try await site.bundlectl.run(["publish", archive, "--to", site.folder("many")] + options)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        return result
    }

    /// An archive of 1,500 files.
    private static func archive(_ site: FeedSite, _ version: String, content: (Int) -> String) async throws -> String {
        let manifest = """
            {"name": "many", "version": "\(version)", "origins": [], "feed": "\(site.feed("many"))"}
            """
        let files = (0..<1_500).map { ("\($0).txt", content($0)) }
        let tree = Dictionary(uniqueKeysWithValues: files).merging(["bundle.json": manifest]) { _, new in new }
        let folder = try site.directory.write(tree: tree, to: "many-\(version)")
        let archive = site.directory.path(of: "many-\(version).zip")
        try await site.bundlectl.expect(0, "pack", folder, archive)
        return archive
    }
}
