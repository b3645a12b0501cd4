import BundleStore
import BundleTesting
import Foundation
import Testing

/// What happens to a release once it is installed, by the real binary.
struct ReleaseTests {
    @Test(arguments: ["next-start", "when-idle"])
    func `an update that waits becomes active with the next start of a server`(mode: String) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let update = try await bundlectl.expect(0, "update", "--activate", mode)
            #expect(update.output.contains("shop@1.1.0") && update.output.contains("later"))
            #expect(try await bundlectl.expect(0, "update", "--activate", mode).output == "", "nothing new for cron")
            let list = try await bundlectl("list").output
            #expect(list.contains("1.1.0    installed, active \(mode)"))
            try await bundlectl.serving { address, _ async throws in
                #expect(try await Curl.get("\(address)/shop/").text.contains("1.1.0"))
            }
            #expect(try await bundlectl("list").output.contains("1.1.0    active"))
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `an update that waits is activated by hand too`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "update", "--activate", "next-start")
            try await bundlectl.expect(0, "activate", "shop@1.1.0")
            #expect(try await !bundlectl("list").output.contains("next-start"))
        }
    }

    @Test func `an idle server activates what waits for that`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.serving("--idle-after", "1s") { _, server in
                try await bundlectl.expect(0, "update", "--activate", "when-idle")
                try await server.waitForErrorOutput(containing: "shop 1.1.0 is active now")
            }
        }
    }

    @Test func `a release that nobody confirms goes back after its starts, and updates don't take it again`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let archive = try await Self.archive(
                of: "1.1.0",
                health: #"{"within": "1h", "starts": 1}"#,
                publisher,
                bundlectl
            )
            try await bundlectl.expect(0, "publish", archive, "--to", publisher.site + "/releases")
            try await bundlectl.expect(0, "update")
            for verb in [["list"], ["show", "shop"]] {
                #expect(try await bundlectl.run(verb).output.contains("active, to be confirmed"))
            }
            // Starts after which nobody opens a page don't count.
            for _ in 1...2 { try await bundlectl.serving { _, _ in } }
            try await bundlectl.serving { address, _ in
                let page = try await Curl.get(Bundlectl.own("shop", address), "-H", "Sec-Fetch-Dest: document")
                #expect(page.text.contains("1.1.0"))
                let cookie = ["-H", "Cookie: offline-bundles.shop=1.1.0", "-H", "Sec-Fetch-Site: same-origin"]
                _ = try await Curl.get(Bundlectl.own("shop", address) + "app.js", cookie)
                // It is recorded behind the response.
                try await Self.wait { try Self.startCount(bundlectl) == 1 }
            }
            try await bundlectl.serving { address, server in
                try await server.waitForErrorOutput(containing: "marked bad")
                #expect(try await Curl.get("\(address)/shop/").text.contains("1.0.0"))
            }
            #expect(try await bundlectl.expect(0, "update").output == "")
            let history = try await bundlectl("history").output
            #expect(history.contains("not confirmed in 1 starts"))
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `a release is confirmed and marked bad by hand`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"), "--seed")
            let archive = try await Self.archive(of: "1.1.0", health: "{}", publisher, bundlectl)
            try await bundlectl.expect(0, "install", archive)
            try await bundlectl.expect(64, "mark-good", "shop@1.0.0")
            #expect(try await bundlectl.expect(0, "mark-good", "shop@1.1.0").output.contains("is confirmed"))
            #expect(try await bundlectl.expect(0, "mark-good", "shop@1.1.0").output.contains("needs no confirmation"))
            let bad = try await bundlectl.expect(0, "mark-bad", "shop@1.1.0", "--reason", "white \u{1B}[31mscreen")
            #expect(bad.output.contains("1.0.0 is active"))
            #expect(try await bundlectl.expect(0, "mark-bad", "shop@1.0.0").output.contains("stays active"))
            let history = try await bundlectl("history", "shop").output
            #expect(history.contains("confirmed") && history.contains("white") && !history.contains("\u{1B}"))
        }
    }

    @Test func `a shipped release is never pruned, and doesn't take the place of a newer one`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            let seed = try await bundlectl.expect(0, "install", publisher.archive("1.0.0"), "--seed", "--keep", "0")
            #expect(seed.output.contains("it is not active"))
            try await bundlectl.expect(0, "prune", "--keep", "0")
            let list = try await bundlectl("list").output
            #expect(list.contains("shipped") && list.contains("1.1.0    active"))
            // A newer one that is shipped takes the place of an older download, and is the only shipped one.
            let newer = try await Self.archive(of: "1.2.0", health: "{}", publisher, bundlectl)
            #expect(try await bundlectl.expect(0, "install", newer, "--seed").output.contains("it is active"))
            try await bundlectl.expect(0, "prune", "--keep", "0")
            #expect(try await !bundlectl("list").output.contains("1.0.0"))
        }
    }

    @Test func `a critical release ends the use of the one before in a running server, at the next check`() async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                let page = "\(address)/shop/"
                #expect(try await Curl.get(page).status == 200)
                let releases = publisher.site + "/releases"
                try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", releases, "--critical")
                try await bundlectl.expect(10, "check")
                #expect(try await bundlectl("list").output.contains("not used (critical)"))
                try await Self.wait { try await Curl.get(page).status != 200 }
                try await bundlectl.expect(0, "update")
                try await Self.wait { try await Curl.get(page).text.contains("1.1.0") }
            }
        }
    }

    @Test func `a release that is revoked after it was left gives its open pages nothing any more`() async throws {
        try await withPublisher { publisher, bundlectl in
            for version in ["1.0.0", "1.1.0"] {
                try await publisher.publish(version, with: bundlectl)
                try await bundlectl.expect(0, "install", publisher.archive(version))
            }
            try await bundlectl.serving { address, _ in
                // Only 1.0.0 has it.
                let name = try Project.file(in: "bundles/shop/1.0.0/assets", prefix: "candle.", suffix: ".svg")
                let part = "\(Bundlectl.own("shop", address))assets/\(name)"
                let cookie = "Cookie: offline-bundles.shop=1.0.0"
                #expect(try await Curl.get(part, "-H", cookie).status == 200)
                try await bundlectl.expect(0, "feed", "revoke", "shop@1.0.0", "--in", publisher.site + "/releases")
                try await bundlectl.expect(0, "check")
                #expect(try await bundlectl("list").output.contains("retained, not used (revoked)"))
                try await Self.wait { try await Curl.get(part, "-H", cookie).status == 404 }
                #expect(try await Curl.get(Bundlectl.own("shop", address)).text.contains("1.1.0"))
            }
            try await bundlectl.expect(0, "verify")
        }
    }

    /// In how many runs a page of the active release was opened.
    private static func startCount(_ bundlectl: Bundlectl) throws -> Int? {
        let store = try BundleStore(at: bundlectl.store)
        return store.snapshot.bundles.values.first?.lifecycle.probation?.startCount
    }

    /// An archive of the sample shop under another version, with terms of health.
    private static func archive(
        of version: String,
        health: String,
        _ publisher: Publisher,
        _ bundlectl: Bundlectl
    ) async throws -> String {
        let folder = publisher.directory.path(of: "health-\(version)")
        let archive = folder + ".zip"
        try await bundlectl.expect(0, "install", publisher.archive("1.1.0"), "--store", folder + "-store")
        try await bundlectl.expect(0, "export", "shop", folder, "--store", folder + "-store")
        let path = folder + "/bundle.json"
        let manifest = try String(contentsOfFile: path, encoding: .utf8)
            .replacing(#""version":"1.1.0""#, with: #""version":"\#(version)","health":\#(health)"#)
            .replacing(#""version": "1.1.0""#, with: #""version": "\#(version)", "health": \#(health)"#)
        try #require(manifest.contains("health"))
        try manifest.write(toFile: path, atomically: true, encoding: .utf8)
        try await bundlectl.expect(0, "pack", folder, archive)
        return archive
    }

    private static func wait(until condition: () async throws -> Bool) async throws {
        for _ in 0..<300 where try await condition() { return }
        Issue.record("it didn't happen")
    }
}
