import BundleTesting
import Foundation
import Testing

/// `publish`, `check` and `update` against a real web server.
struct UpdateTests {
    @Test func `check shows by its exit status whether an update is available, and update installs it`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.0.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "check")

            try await publisher.publish("1.1.0", with: bundlectl)
            let check = try await bundlectl("check")
            #expect(check.exitCode == 10)
            #expect(check.output.contains("1.1.0"))

            let update = try await bundlectl("update")
            #expect(update.exitCode == 0)
            #expect(update.output.contains("1.1.0"))
            try await bundlectl.expect(0, "check")
            let again = try await bundlectl("update")
            #expect((again.exitCode, again.output, again.errorOutput) == (0, "", ""), "cron hears nothing of nothing")
        }
    }

    @Test func `an update drops what was cached under the old version`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                #expect(try await Curl.get("\(address)/shop/api/stock.json").status == 200)
                try await bundlectl.waitUntilCached("stock.json")
                try await bundlectl.expect(0, "update")
                #expect(try await !bundlectl("cache", "list").output.contains("stock.json"))
            }
        }
    }

    @Test func `an update removes its own bundle's earlier versions, not another's`() async throws {
        try await withPublisher { publisher, bundlectl in
            try publisher.directory.write("<!doctype html>", to: "news/index.html")
            let archive = publisher.directory.path(of: "news.tar")
            let folder = publisher.directory.path(of: "news")
            let packed = try await ChildProcess.run("bsdtar", ["-cf", archive, "-C", folder, "index.html"])
            #expect(packed.exitCode == 0)
            for version in ["1", "2", "3"] {
                try await bundlectl.expect(0, "install", archive, "--name", "news", "--version", version, "--keep", "9")
            }
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "update", "--keep", "0")
            try await bundlectl.expect(64, "show", "shop@1.0.0")
            try await bundlectl.expect(0, "show", "news@1")
        }
    }

    @Test func `a failed update leaves the old version serving and says why`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            // Other bytes of the same length as in the feed.
            let archive = publisher.site + "/releases/shop-1.1.0.zip"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
            bytes[bytes.count / 2] ^= 0xFF
            try bytes.write(to: URL(fileURLWithPath: archive))

            let update = try await bundlectl("update")
            #expect(update.exitCode == 65)
            #expect(update.errorOutput.contains("SHA-256"))
            #expect(update.errorOutput.split(separator: "\n").count == 1)
            #expect(try await bundlectl("list").output.contains("1.0.0"))
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `without a network check and update exit with 69, and the bundle stays`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.stop()
            try await bundlectl.expect(69, "check")
            let update = try await bundlectl("update")
            #expect(update.exitCode == 69)
            #expect(update.errorOutput.contains("could not reach"))
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `a version that was rolled back isn't installed again`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "update")
            try await bundlectl.expect(0, "rollback", "shop")
            let check = try await bundlectl.expect(0, "check")
            #expect(check.output.contains("rolled back; only a version above 1.1.0 is taken"))
            #expect(try await bundlectl("show", "shop").output.contains("held back"))
            #expect(try await bundlectl("update").output == "")
            #expect(try await bundlectl("resolve", "\(publisher.origin)/shop/").output.contains("1.0.0"))
        }
    }

    @Test func `a release is offered in its channels only, and publishing it again sets them`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let publish = ["publish", publisher.archive("1.1.0"), "--to", publisher.site + "/releases", "--channel"]
            #expect(try await bundlectl.run(publish + ["beta"]).exitCode == 0)
            try await bundlectl.expect(0, "check")
            #expect(try await bundlectl.run(publish + ["beta", "--channel", "stable"]).exitCode == 0)
            try await bundlectl.expect(10, "check")
        }
    }

    @Test func `an update may start after a random delay`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let update = try await bundlectl.expect(0, "update", "--random-delay", "0s")
            #expect(update.output.contains("1.1.0"))
        }
    }

    @Test func `a release whose inner version differs from what was advertised is refused`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let feed = publisher.site + "/releases/feed.json"
            let text = try String(contentsOfFile: feed, encoding: .utf8)
            try text.replacingOccurrences(of: #""1.1.0""#, with: #""1.2.0""#)
                .write(toFile: feed, atomically: true, encoding: .utf8)
            let update = try await bundlectl("update")
            #expect(update.exitCode == 65)
            #expect(update.errorOutput.contains("1.2.0"))
            try await bundlectl.expect(0, "verify")
        }
    }
}
