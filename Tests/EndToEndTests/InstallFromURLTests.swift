import BundleStore
import BundleTesting
import Foundation
import Testing

/// `install` with the URL of a feed or an archive.
struct InstallFromURLTests {
    @Test func `a feed's highest release is installed, and the feed is followed though no manifest names it`()
        async throws
    {
        try await withFeedSite { site in
            let members = #""channel": "stable""#
            for version in ["1.0.0", "1.1.0"] {
                let archive = try await site.archive("docs", version, members: members)
                try await site.bundlectl.expect(0, "publish", archive, "--to", site.folder("docs"))
            }
            let install = try await site.bundlectl.expect(0, "install", site.feed("docs"))
            #expect(install.output.contains("installed docs@1.1.0"))
            let again = try await site.bundlectl.expect(0, "install", site.feed("docs"))
            #expect(again.output.contains("nothing has changed"))
            #expect(try await site.bundlectl.json("show", "docs")["updates"]?["feed"]?.string == site.feed("docs"))
            let archive = try await site.archive("docs", "1.2.0", members: members)
            try await site.bundlectl.expect(0, "publish", archive, "--to", site.folder("docs"))
            try await site.bundlectl.expect(10, "check")
            try await site.bundlectl.expect(0, "update")
            #expect(try await site.active("docs") == "1.2.0")
        }
    }

    @Test func `a first installation takes the name and the version that publish gave an archive without a manifest`()
        async throws
    {
        try await withFeedSite { site in
            for version in ["3.9.0", "3.9.1"] {
                let folder = try site.directory.write(tree: ["index.html": "docs \(version)"], to: "plain-\(version)")
                let archive = site.directory.path(of: "plain-\(version).zip")
                let packed = try await ChildProcess.run("bsdtar", ["-acf", archive, "-C", folder, "."])
                #expect(packed.exitCode == 0)
                let naming = ["--name", "docs", "--version", version]
                let published = try await site.bundlectl.run(
                    ["publish", archive, "--to", site.folder("docs")] + naming
                )
                #expect(published.exitCode == 0, "\(published.errorOutput)")
                let verb = version == "3.9.0" ? ["install", site.feed("docs")] : ["update"]
                let taken = try await site.bundlectl.run(verb)
                #expect(taken.exitCode == 0, "\(taken.errorOutput)")
                #expect(try await site.active("docs") == version)
            }
            try await site.bundlectl.serving { address, _ in
                let page = try await Curl.get("\(address)/docs/")
                #expect(page.text == "docs 3.9.1")
            }
        }
    }

    @Test func `the channel that is named is followed, and one that offers nothing is told`() async throws {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0", "--channel", "beta")
            let none = try await site.bundlectl.expect(64, "install", site.feed("docs"))
            #expect(none.errorOutput.contains("offered in beta only"))
            try await site.bundlectl.expect(0, "install", site.feed("docs"), "--channel", "beta")
            try await site.publish("docs", "1.1.0", "--channel", "beta")
            try await site.bundlectl.expect(0, "update")
            #expect(try await site.active("docs") == "1.1.0")
        }
    }

    @Test func `an archive at a URL is installed if it has the digest, and not without one`() async throws {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0")
            let url = "\(site.origin.baseURL)/docs/docs-1.0.0.zip"
            let bytes = try Data(contentsOf: URL(fileURLWithPath: site.folder("docs") + "/docs-1.0.0.zip"))
            let without = try await site.bundlectl.expect(64, "install", url)
            #expect(without.errorOutput.contains("give its SHA-256 with --sha256"))
            let wrong = try await site.bundlectl.expect(65, "install", url, "--sha256", Digest(of: []).hex)
            #expect(wrong.errorOutput.contains(Digest(of: bytes).hex))
            #expect(try await site.bundlectl("list").output == "no bundles\n")
            let install = try await site.bundlectl.expect(0, "install", url, "--sha256", Digest(of: bytes).hex)
            #expect(install.output.contains("installed docs@1.0.0"))
        }
    }

    @Test func `what is neither, isn't there, or isn't a URL is told`() async throws {
        try await withFeedSite { site in
            try site.directory.write("<!doctype html>", to: "site/page.html")
            let page = try await site.bundlectl.expect(64, "install", "\(site.origin.baseURL)/page.html")
            #expect(page.errorOutput.contains("neither a feed nor an archive"))
            let missing = try await site.bundlectl.expect(69, "install", "\(site.origin.baseURL)/feed.json")
            #expect(missing.errorOutput.contains("responded with 404"))
            let other = try await site.bundlectl.expect(64, "install", "ftp://m.example.com/feed.json")
            #expect(other.errorOutput.contains("its scheme is ftp, not http, https or file"))
            try await site.bundlectl.expect(64, "install", "https://user@m.example.com/feed.json")
            try await site.bundlectl.expect(64, "install", site.feed("docs"), "--sha256", "12")
            try await site.bundlectl.expect(64, "install", site.feed("docs"), "--force")
            try await site.bundlectl.expect(64, "install", "docs.zip", "--sha256", Digest(of: []).hex)
            try await site.bundlectl.expect(64, "install", "docs.zip", "--channel", "beta")
        }
    }
}
