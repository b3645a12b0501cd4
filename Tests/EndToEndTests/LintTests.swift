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
            for (options, isTold) in [(["--no-check"], false), ([], true)] {
                let published = try await site.bundlectl.run(
                    ["publish", archive, "--to", site.folder("docs")] + options
                )
                #expect(published.exitCode == 0)
                let warning = "warning: index.html:2: “gone.png” is not in the release"
                #expect(published.errorOutput.contains(warning) == isTold)
                #expect(!published.output.contains("MEDIA TYPE"))
            }
        }
    }

    @Test func `what is behind a regular expression or in a frame is found, and no namespace or folder`() async throws {
        let files = [
            "index.html": "<link rel=stylesheet href=a.css><script type=module src=a.js></script>\n"
                + "<iframe srcdoc='<img src=lost.png>'></iframe><meta http-equiv=refresh content='5; url=next.html'>",
            "a.css": "@namespace svg url(http://www.w3.org/2000/svg);\na{background:image-set('gone.png' 1x)}",
            "a.js": #"if(x)/[`"]/.test(x);import("./missing1.js");new URL("./img/",import.meta.url)"#,
            "img/a.png": "png",
        ]
        try await withRelease(files) { site, folder in
            let archive = site.directory.path(of: "docs.zip")
            let pack = try await site.bundlectl.expect(65, "pack", folder, archive, "--lint")
            for place in ["index.html:2: “lost.png”", "a.css:2: “gone.png”", "a.js:1: “./missing1.js”"] {
                #expect(pack.errorOutput.contains("bundlectl: \(place) is not in the release\n"))
            }
            #expect(pack.errorOutput.contains("warning: index.html:2: leads to “next.html”"))
            #expect(!pack.errorOutput.contains("w3.org"))
            #expect(!pack.errorOutput.contains("./img/"))
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
