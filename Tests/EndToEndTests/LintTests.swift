import BundleTesting
import Foundation
import Testing

/// `publish --check` and `pack --lint`.
struct LintTests {
    /// A folder of a release, and what is said about it.
    private func withRelease(_ files: [String: String], _ body: (FeedSite, String) async throws -> Void) async throws {
        try await withFeedSite { site in
            let manifest =
                #"{"name": "docs", "version": "1.1.0", "origins": [{"url": "https://docs.test/", "path": "/"}]}"#
            let tree = files.merging(["bundle.json": manifest]) { first, _ in first }
            try await body(site, site.directory.write(tree: tree, to: "docs"))
        }
    }

    @Test func `a release that lacks something isn't published, and its places are told`() async throws {
        let page = "<link rel=stylesheet href=style.css>\n<img src=gone.png><a href=gone.html>"
        try await withRelease(["index.html": page, "style.css": ""]) { site, folder in
            let archive = site.directory.path(of: "docs.zip")
            let pack = try await site.bundlectl.expect(65, "pack", folder, archive, "--lint")
            #expect(pack.errorOutput.contains("bundlectl: index.html:2: “gone.png” is not in the release\n"))
            #expect(pack.errorOutput.contains("warning: index.html:2: leads to “gone.html”"))
            #expect(FileManager.default.fileExists(atPath: archive))
            let publish = try await site.bundlectl.expect(
                65,
                "publish",
                archive,
                "--to",
                site.folder("docs"),
                "--check",
                "--json"
            )
            #expect(publish.output.contains(#""errorCount" : 1"#))
            #expect(!FileManager.default.fileExists(atPath: site.folder("docs")))
            try await site.bundlectl.expect(0, "publish", archive, "--to", site.folder("docs"))
        }
    }

    @Test func `a release that lacks nothing is, with its sizes beside those of the version before`() async throws {
        let page = "<script src='https://cdn.test/a.js'></script>"
        try await withRelease(["index.html": page]) { site, folder in
            try await site.publish("docs", "1.0.0")
            let archive = site.directory.path(of: "docs.zip")
            try await site.bundlectl.expect(65, "pack", folder, archive, "--lint")
            let allowing = ["--check", "--allow-external", "https://cdn.test/"]
            let arguments = ["publish", archive, "--to", site.folder("docs")] + allowing
            let lint = try await site.bundlectl.json(arguments)["lint"]
            #expect(lint?["errorCount"]?.integer == 0)
            let size = lint?["sizes"]?.array?.first { $0["mediaType"]?.string == "text/html" }
            #expect(size?["byteCountBefore"]?.integer == "docs 1.0.0".utf8.count)
            #expect(try await site.bundlectl.run(arguments).output.contains("nothing would miss offline"))
        }
    }
}
