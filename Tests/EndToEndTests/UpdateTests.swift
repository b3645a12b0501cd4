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
            bytes = Data(bytes.map { ~$0 })
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
            #expect(check.output.contains("held back; only a version above 1.1.0 is taken"))
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

    @Test func `check --explain lists each release with the reason, and the choice, in text and as JSON`() async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await publisher.publish("1.0.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let text = try await bundlectl.expect(10, "check", "--explain")
            let lines = text.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 4)
            #expect(lines.first?.contains("1.1.0 is available") == true)
            #expect(lines.first { $0.hasPrefix("  1.1.0") }?.hasSuffix("chosen") == true)
            #expect(lines.last?.hasSuffix("doesn't exceed 1.0.0, which is active") == true)
            let document = try await bundlectl.json("check", "--explain")
            let explanation = document["bundles"]?.array?.first?["explanation"]
            #expect(explanation?["chosen"]?.string == "1.1.0")
            let codes = explanation?["candidates"]?.array?.map { $0["rejection"]?["code"]?.string }
            #expect(codes == [nil, "lowerOrEqual"])
            let plain = try await bundlectl.json("check")
            #expect(plain["bundles"]?.array?.first?["explanation"] == nil)
        }
    }

    @Test func `update activates a release that is installed already, and fetches nothing`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"), "--no-activate")
            let update = try await bundlectl.expect(0, "update")
            #expect(update.output.contains("updated shop: 1.0.0 to 1.1.0"))
            #expect(!publisher.requestedPaths.contains { $0.hasSuffix(".zip") })
            #expect(try await bundlectl.json("list")["bundles"]?.array?.first?["active"]?.string == "1.1.0")
        }
    }

    @Test func `a second rollback doesn't bring the bad release back, and says that there is nothing`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "update")
            try await bundlectl.expect(0, "rollback", "shop")
            let second = try await bundlectl.expect(64, "rollback", "shop")
            #expect(second.errorOutput.contains("has no earlier version to roll back to"))
            try await bundlectl.expect(0, "check")
            let list = try await bundlectl.json("list")["bundles"]?.array?.first
            #expect(list?["active"]?.string == "1.0.0")
            #expect(list?["held"]?.string == "1.1.0")
        }
    }

    @Test func `rollback --to leads to an installed lower version`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            try await bundlectl.expect(64, "rollback", "shop", "--to", "1.1.0")
            try await bundlectl.expect(64, "rollback", "shop", "--to", "0.1.0")
            let rollback = try await bundlectl.expect(0, "rollback", "shop", "--to", "1.0.0")
            #expect(rollback.output == "rolled shop back from 1.1.0 to 1.0.0; updates take only what exceeds 1.1.0\n")
        }
    }

    @Test func `activate of an older release isn't undone by the next update, until unhold`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "update")
            let activate = try await bundlectl.expect(0, "activate", "shop@1.0.0")
            #expect(activate.output.contains("updates take only what exceeds 1.1.0"))
            try await bundlectl.expect(0, "check")
            #expect(try await bundlectl.expect(0, "update").output == "")
            #expect(try await bundlectl("list").output.contains("active, held back up to 1.1.0"))
            try await bundlectl.expect(0, "unhold", "shop")
            try await bundlectl.expect(10, "check")
        }
    }

    @Test func `a hold that ends doesn't bring a bad release back; a second unhold does`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "update")
            try await bundlectl.expect(0, "mark-bad", "shop@1.1.0")
            try await bundlectl.expect(0, "hold", "shop")
            #expect(try await bundlectl("list").output.contains("active, on hold, held back up to 1.1.0"))
            let first = try await bundlectl.expect(0, "unhold", "shop")
            #expect(first.output.contains("updates install what exceeds 1.1.0, which is held back"))
            #expect(try await bundlectl.expect(0, "update").output == "")
            let second = try await bundlectl.expect(0, "unhold", "shop")
            #expect(second.output == "shop is not on hold: updates install what exceeds it\n")
            #expect(try await bundlectl.expect(0, "update").output.contains("1.1.0"))
        }
    }

    @Test func `a bundle on hold is left as it is, and list says so`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(64, "hold", "nothing")
            try await bundlectl.expect(0, "hold", "shop")
            #expect(try await bundlectl("list").output.contains("active, on hold"))
            #expect(try await bundlectl.expect(0, "check").output.contains("up to date (on hold)"))
            #expect(try await bundlectl.expect(0, "update").output == "")
            try await bundlectl.expect(0, "unhold", "shop")
            #expect(try await !bundlectl("list").output.contains("hold"))
            #expect(try await bundlectl.expect(0, "update").output.contains("1.1.0"))
        }
    }

    @Test func `an archive that can't be used is fetched once, and again with --retry`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let feed = publisher.site + "/releases/feed.json"
            // The archive of 1.1.0, advertised as another version.
            try String(contentsOfFile: feed, encoding: .utf8).replacing(
                "\"version\": \"1.1.0\"",
                with: "\"version\": \"1.2.0\""
            )
            .write(toFile: feed, atomically: true, encoding: .utf8)
            try await bundlectl.expect(65, "update")
            #expect(try await bundlectl.expect(0, "update").output == "")
            #expect(try await bundlectl.expect(0, "check").output.contains("up to date (") == true)
            #expect(try await bundlectl.expect(0, "check", "--explain").output.contains("failed before: "))
            #expect(publisher.requestedPaths.count { $0.hasSuffix(".zip") } == 1)
            try await bundlectl.expect(65, "update", "--retry")
            #expect(publisher.requestedPaths.count { $0.hasSuffix(".zip") } == 2)
        }
    }

    @Test func `a failed update doesn't report that it has come to a version`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let entry = try await bundlectl.json("update")["bundles"]?.array?.first
            #expect(entry?["outcome"]?.string == "failed")
            #expect(entry?["from"]?.string == "1.0.0")
            #expect(entry?["to"] == nil)
        }
    }

    @Test func `a release for a newer shell waits until the shell is one`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let publish = ["publish", publisher.archive("1.1.0"), "--to", publisher.site + "/releases"]
            #expect(try await bundlectl.run(publish + ["--minimum-shell", "2.0"]).exitCode == 0)
            try await bundlectl.expect(0, "check")
            try await bundlectl.expect(0, "check", "--shell-version", "1.9")
            try await bundlectl.expect(10, "check", "--shell-version", "2.0")
            #expect(try await bundlectl.expect(0, "update", "--shell-version", "2.0").output.contains("1.1.0"))
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
