import BundleStore
import BundleTesting
import Foundation
import Testing

/// Feeds and archives on a stick: `install PATH`, and the updates that follow it.
struct FolderFeedTests {
    private struct Stick {
        let directory: TemporaryDirectory
        let bundlectl: Bundlectl

        var path: String { directory.path(of: "media/usb stick") }
        var feed: String { "\(path)/feed.json" }
        var url: String { URL(fileURLWithPath: feed).absoluteString }

        func publish(_ version: String, _ options: String...) async throws {
            let manifest = #"{"name": "shop", "version": "\#(version)", "origins": []}"#
            let data = (0..<300).map { "value \($0 &* 7_919 % 9_973)\n" }.joined()
            let tree = ["bundle.json": manifest, "index.html": "shop \(version)", "data.txt": data + version]
            let folder = try directory.write(tree: tree, to: "files/\(version)")
            let archive = directory.path(of: "shop-\(version).zip")
            try await bundlectl.expect(0, "pack", folder, archive)
            let published = try await bundlectl.run(["publish", archive, "--to", path] + options)
            #expect(published.exitCode == 0, "\(published.errorOutput)")
        }

        var active: String? {
            get async throws {
                try await bundlectl.json("list")["bundles"]?.array?.first?["active"]?.string
            }
        }
    }

    private func withStick(_ body: (Stick) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: [".keep": ""], to: "media")
            try await body(Stick(directory: directory, bundlectl: Bundlectl(store: directory.path(of: "store"))))
        }
    }

    @Test func `a feed's path, its URL and its folder install the highest release, and are followed`() async throws {
        try await withStick { stick in
            try await stick.publish("1.0.0")
            try await stick.publish("1.1.0-rc.1", "--channel", "beta")
            for source in [stick.feed, stick.url, stick.path] {
                let other = Bundlectl(store: stick.directory.path(of: "store-\(source.utf8.count)"))
                let installed = try await other.expect(0, "install", source)
                #expect(installed.output.contains("installed shop@1.0.0"))
                #expect(try await other.json("show", "shop")["updates"]?["feed"]?.string == stick.url)
            }
            try await stick.bundlectl.expect(0, "install", stick.feed, "--channel", "beta")
            #expect(try await stick.active == "1.1.0-rc.1")
        }
    }

    @Test func `a stick that comes back brings the next release, and one that is away changes nothing`() async throws {
        try await withStick { stick in
            try await stick.publish("1.0.0")
            try await stick.bundlectl.expect(0, "install", stick.path)
            try FileManager.default.moveItem(atPath: stick.path, toPath: stick.path + ".away")
            let away = try await stick.bundlectl.expect(69, "update")
            #expect(away.errorOutput.contains("feed.json isn't there; connect its medium, or correct the path"))
            let scheduled = try await stick.bundlectl.expect(0, "update", "--scheduled")
            #expect(scheduled.output.isEmpty && scheduled.errorOutput.isEmpty)
            let doctor = try await stick.bundlectl.run(["doctor"])
            #expect(doctor.output.contains("connect its medium"))
            #expect(try await stick.active == "1.0.0")

            try FileManager.default.moveItem(atPath: stick.path + ".away", toPath: stick.path)
            try await stick.publish("1.1.0")
            try await stick.bundlectl.expect(10, "check")
            let updated = try await stick.bundlectl.json("update", "--scheduled")
            #expect(updated["bundles"]?.array?.first?["plan"]?.string == "patch", "\(updated)")
            #expect(try await stick.active == "1.1.0")
            try await stick.bundlectl.expect(0, "feed", "revoke", "shop@1.1.0", "--in", stick.path)
            let revoked = try await stick.bundlectl.run(["update"])
            #expect(revoked.exitCode == 0, "\(revoked.errorOutput)")
            #expect(try await stick.active == "1.0.0")
        }
    }

    @Test func `a feed at a file's URL is checked in place of the one that is followed`() async throws {
        try await withStick { stick in
            try await stick.publish("1.0.0")
            try await stick.bundlectl.expect(0, "install", stick.directory.path(of: "shop-1.0.0.zip"))
            try await stick.publish("1.1.0")
            try await stick.bundlectl.expect(10, "check", "shop", "--feed", stick.url)
            try await stick.bundlectl.expect(0, "update", "shop", "--feed", stick.url)
            #expect(try await stick.active == "1.1.0")
            try await stick.bundlectl.expect(64, "update", "shop", "--feed", "file://host/feed.json")
        }
    }

    @Test func `a server follows the stick too`() async throws {
        try await withStick { stick in
            try await stick.publish("1.0.0")
            try await stick.bundlectl.expect(0, "install", stick.path)
            try await stick.publish("1.1.0")
            try await stick.bundlectl.serving("--check-every", "1s") { address, _ in
                let page = Bundlectl.own("shop", address)
                for _ in 0..<20_000 { if try await Curl.get(page).text == "shop 1.1.0" { break } }
                #expect(try await Curl.get(page).text == "shop 1.1.0")
            }
        }
    }

    @Test func `an archive has a file's URL too`() async throws {
        try await withStick { stick in
            try await stick.publish("1.0.0")
            let url = URL(fileURLWithPath: "\(stick.path)/shop-1.0.0.zip").absoluteString
            let installed = try await stick.bundlectl.expect(0, "install", url)
            #expect(installed.output.contains("installed shop@1.0.0"))
            #expect(try await stick.bundlectl.json("show", "shop")["updates"]?["feed"] == nil)
        }
    }

    @Test func `what isn't there or is no feed is told`() async throws {
        try await withStick { stick in
            try await stick.publish("1.0.0")
            let wrong = try stick.directory.write(#"{"error": "no"}"#, to: "wrong.json")
            let refused = try await stick.bundlectl.expect(65, "install", wrong)
            #expect(refused.errorOutput.contains("wrong.json"))
            try await stick.bundlectl.expect(64, "install", stick.feed, "--force")
            try await stick.bundlectl.expect(64, "install", "file://host/feed.json")
            let missing = try await stick.bundlectl.run(["install", stick.path + "/none.json"])
            #expect(missing.exitCode == 66 && missing.errorOutput.contains("none.json"), "\(missing.errorOutput)")
            try FileManager.default.removeItem(atPath: "\(stick.path)/shop-1.0.0.zip")
            let lost = try await stick.bundlectl.expect(69, "install", stick.feed)
            #expect(lost.errorOutput.contains("copy what was published again, or correct the feed"))
            #expect(try await stick.bundlectl("list").output == "no bundles\n")
        }
    }

    @Test func `a feed from the network has no file of this machine installed`() async throws {
        try await withFeedSite { site in
            let archive = try await site.archive("docs", "1.0.0")
            try await site.bundlectl.expect(0, "publish", archive, "--to", site.folder("docs"))
            let feed = try String(decoding: site.directory.read("site/docs/feed.json"), as: UTF8.self)
            let file = URL(fileURLWithPath: archive).absoluteString
            try site.directory.write(feed.replacing("docs-1.0.0.zip", with: file), to: "site/docs/feed.json")
            let refused = try await site.bundlectl.expect(65, "install", site.feed("docs"))
            #expect(refused.errorOutput.contains(file))
            #expect(try await site.bundlectl("list").output == "no bundles\n")
        }
    }
}
