import BundleTesting
import Foundation
import Testing

/// The publisher's verbs on a folder that a web server offers, and what installations make of it.
struct PublishingTests {
    @Test func `publish says in the feed to whom a release is offered`() async throws {
        try await withPublisher { publisher, bundlectl in
            let notes = publisher.directory.path(of: "notes.txt")
            try "Search is new.\n".write(toFile: notes, atomically: true, encoding: .utf8)
            let result = try await bundlectl.expect(
                0,
                "publish",
                publisher.archive("1.1.0"),
                "--to",
                publisher.site + "/releases",
                "--channel",
                "beta",
                "--channel",
                "stable",
                "--rollout",
                "12.5%",
                "--critical",
                "--minimum-shell",
                "2.0",
                "--notes",
                notes
            )
            #expect(
                result.output.contains(
                    "offered for beta and stable, to 12.5% of the installations, critical, for shell 2.0 and above"
                )
            )
            let feed = try publisher.feed
            #expect(feed["sequence"]?.integer == 1)
            let entry = feed["versions"]?.array?.first
            #expect(entry?["channels"]?.array?.compactMap(\.string) == ["beta", "stable"])
            #expect(entry?["rollout"] == .number(12.5))
            #expect(entry?["critical"] == true)
            #expect(entry?["minimumShell"]?.string == "2.0")
            #expect(entry?["notes"]?.string == "Search is new.\n")
        }
    }

    @Test(arguments: [("022", 0o644), ("027", 0o640)])
    func `web servers may read what is published, as far as the umask says`(umask: String, mode: Int) async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            for version in ["1.0.0", "1.1.0"] {
                let command = "umask \(umask); exec \"$0\" publish \"$1\" --to \"$2\""
                let words = ["-c", command, Bundlectl.path, publisher.archive(version), folder]
                let run = try await ChildProcess.run("/bin/sh", words, environment: bundlectl.environment)
                #expect(run.exitCode == 0, "\(run.errorOutput)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(names.map { $0.split(separator: ".").last }) == ["json", "zst", "zip", "patch"])
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
            }
        }
    }

    @Test func `what a feed offers is listed, and shown release by release`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            let notes = try publisher.directory.write(
                "Search is new.\u{1B}[31m\nAnd quick.\n",
                to: "notes.txt"
            )
            try await bundlectl.expect(0, "publish", publisher.archive("1.0.0"), "--to", folder)
            try await bundlectl.expect(
                0,
                "publish",
                publisher.archive("1.1.0"),
                "--to",
                folder,
                "--channel",
                "beta",
                "--channel",
                "stable",
                "--rollout",
                "12.5%",
                "--critical",
                "--minimum-shell",
                "2.0",
                "--notes",
                notes
            )
            try await bundlectl.expect(0, "feed", "revoke", "shop@1.0.0", "--in", folder)
            let list = try await bundlectl.expect(0, "feed", "list", "--in", folder).output.split(
                separator: "\n"
            ).map(String.init)
            #expect(list.count == 3)
            #expect(
                try /VERSION +CHANNELS +ROLLOUT +SIZE +PATCHES +REMARKS/.wholeMatch(in: list[0]) != nil,
                "\(list)"
            )
            let patched =
                /1\.1\.0 +beta, stable +12\.5% +[\d.]+ .?B +1, from [\d.]+ .?B +critical, for shell 2\.0 and above/
            #expect(try patched.wholeMatch(in: list[1]) != nil, "\(list)")
            #expect(
                try /1\.0\.0 +stable +100% +[\d.]+ .?B +none +revoked/.wholeMatch(in: list[2]) != nil,
                "\(list)"
            )

            let shown = try await bundlectl.expect(0, "feed", "show", "shop@1.1.0", "--in", folder).output
            #expect(shown.hasPrefix("shop@1.1.0\n"))
            #expect(
                shown.contains(
                    "offered for beta and stable, to 12.5% of the installations, critical, for shell 2.0"
                )
            )
            #expect(shown.contains("notes:\n  Search is new.\\u{1b}[31m\n  And quick.\n"))
            let document = try await bundlectl.json("feed", "show", "shop@1.1.0", "--in", folder)
            let archive = try Data(contentsOf: URL(filePath: publisher.archive("1.1.0")))
            #expect(document["size"]?.integer == archive.count)
            #expect(document["source"]?.string == "shop-1.1.0.zip")
            let patch = try #require(document["patches"]?.array?.first)
            #expect(patch["from"]?.string == "1.0.0")
            let file = try Data(contentsOf: URL(filePath: folder + "/" + (patch["source"]?.string ?? "")))
            #expect(patch["size"]?.integer == file.count)
        }
    }

    @Test(
        arguments: [
            (["list", "--in", "SITE"], 64, "there is no"),
            (["show", "shop@9.0.0", "--in", "FEED"], 64, "it offers 1.0.0"),
            (["show", "news@1.0.0", "--in", "FEED"], 65, "is the feed of shop"),
            (["show", "shop", "--in", "FEED"], 64, "NAME@VERSION"),
        ] as [([String], Int32, String)]
    )
    func `what can't be listed or shown of a feed is refused with the reason`(
        arguments: [String],
        status: Int32,
        reason: String
    ) async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await bundlectl.expect(0, "publish", publisher.archive("1.0.0"), "--to", folder)
            let places = ["SITE": publisher.site, "FEED": folder]
            let result = try await bundlectl.run(["feed"] + arguments.map { places[$0] ?? $0 })
            #expect(result.exitCode == status)
            #expect(result.errorOutput.contains(reason), "\(result.errorOutput)")
        }
    }

    @Test func `what publish can't say is refused, and nothing is written`() async throws {
        try await withPublisher { publisher, bundlectl in
            let notes = publisher.directory.path(of: "notes.txt")
            try String(repeating: "a", count: 4_097).write(toFile: notes, atomically: true, encoding: .utf8)
            let publish = ["publish", publisher.archive("1.1.0"), "--to", publisher.site + "/releases"]
            for (options, status) in [
                (["--rollout", "10x"], 64), (["--rollout", "101%"], 64), (["--minimum-shell", "v2"], 64),
                (["--prune", "0"], 64), (["--notes", notes], 64), (["--notes", notes + ".missing"], 66),
                (["--channel", "a b"], 64),
            ] as [([String], Int32)] {
                let result = try await bundlectl.run(publish + options)
                #expect(result.exitCode == status, "\(options): \(result.errorOutput)")
            }
            #expect(try TreeSnapshot(of: publisher.site + "/releases").files.isEmpty)
        }
    }

    @Test func `a release reaches a channel, a share of the installations, and all of them`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--channel", "beta")
            try await bundlectl.expect(0, "check")
            try await bundlectl.expect(0, "feed", "rollout", "shop@1.1.0", "0%", "--in", folder)
            let promote = try await bundlectl.expect(
                0,
                "feed",
                "promote",
                "shop@1.1.0",
                "--from",
                "beta",
                "--to",
                "stable",
                "--in",
                folder
            )
            #expect(promote.output == "shop@1.1.0 is offered for beta and stable, to 0% of the installations\n")
            #expect(try await bundlectl("check", "--explain").output.contains("offered to 0% of the installations"))
            try await bundlectl.expect(0, "check")
            try await bundlectl.expect(0, "feed", "rollout", "shop@1.1.0", "100%", "--in", folder)
            try await bundlectl.expect(10, "check")
            #expect(try publisher.feed["sequence"]?.integer == 4)
        }
    }

    @Test(arguments: [false, true])
    func `a publisher slows its fleet, and a person's check isn't postponed`(isSigned: Bool) async throws {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            let signing = isSigned ? ["--keys", keys] : []
            if isSigned { try await bundlectl.expect(0, "keys", "init", "--in", keys) }
            let publish = ["publish", publisher.archive("1.0.0"), "--to", folder] + signing
            #expect(try await bundlectl.run(publish).exitCode == 0)
            try await bundlectl.expect(0, "install", publisher.origin + "/releases/feed.json")
            let poll = try await bundlectl.run(["feed", "poll", "15m", "--in", folder] + signing)
            #expect(poll.output.hasPrefix("devices check no more often than every 15m\n"), "\(poll)")
            #expect(try publisher.feed["poll"]?.integer == 900)
            #expect(try await bundlectl("feed", "list", "--in", folder).output.contains("every 15m"))
            for outcome in ["upToDate", "postponed"] {
                let entry = try await bundlectl.json("update", "--scheduled")["bundles"]?.array?.first
                #expect(entry?["outcome"]?.string == outcome)
                #expect(entry?["postponement"]?.string == (outcome == "postponed" ? "notDue" : nil))
            }
            let entry = try await bundlectl.json("update")["bundles"]?.array?.first
            #expect(entry?["outcome"]?.string == "upToDate")
        }
    }

    @Test func `installations leave a revoked release for the highest that is left`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await publisher.publish("1.0.0", with: bundlectl)
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "update")
            let revoke = try await bundlectl.expect(0, "feed", "revoke", "shop@1.1.0", "--in", folder)
            #expect(revoke.output == "shop@1.1.0 is revoked\n")
            let update = try await bundlectl.expect(0, "update")
            #expect(update.output.contains("updated shop: 1.1.0 to 1.0.0"))
            try await bundlectl.expect(0, "check")
            let again = try await bundlectl.expect(65, "publish", publisher.archive("1.1.0"), "--to", folder)
            #expect(again.errorOutput.contains("has revoked 1.1.0; raise the version"))
        }
    }

    @Test func `the feed's rollback revokes what is above in one change`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await publisher.publish("1.0.0", with: bundlectl)
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            let document = try await bundlectl.json("feed", "rollback", "shop", "--to", "1.0.0", "--in", folder)
            #expect(document["sequence"]?.integer == 3)
            #expect(document["changed"]?.array?.first?["isRevoked"] == true)
            #expect(try await bundlectl.expect(0, "update").output.contains("updated shop: 1.1.0 to 1.0.0"))
            let nothing = try await bundlectl.expect(0, "feed", "rollback", "shop", "--to", "1.0.0", "--in", folder)
            #expect(nothing.output.hasPrefix("nothing changes in "))
            #expect(try publisher.feed["sequence"]?.integer == 3)
        }
    }

    @Test func `an older feed than one seen is refused, until a newer one is there`() async throws {
        try await withPublisher { publisher, bundlectl in
            let feed = publisher.site + "/releases/feed.json"
            try await publisher.publish("1.1.0", with: bundlectl)
            let older = try Data(contentsOf: URL(fileURLWithPath: feed))
            try await bundlectl.expect(0, "feed", "rollout", "shop@1.1.0", "0%", "--in", publisher.site + "/releases")
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "check")
            try older.write(to: URL(fileURLWithPath: feed))
            for verb in ["check", "update"] {
                let refused = try await bundlectl.expect(65, verb)
                #expect(refused.output == "")
                #expect(
                    refused.errorOutput.contains("feed.json: the feed is older than one seen: it has number 1, after 2")
                )
                #expect(refused.errorOutput.contains("--accept-older-feed"))
                let entry = try await bundlectl.json(verb)["bundles"]?.array?.first
                #expect(entry?[verb == "check" ? "state" : "outcome"]?.string == "failed")
                #expect(entry?["error"]?.string?.contains("--accept-older-feed") == true)
            }
            for _ in 1...2 {
                for share in ["50%", "100%"] {
                    let folder = publisher.site + "/releases"
                    try await bundlectl.expect(0, "feed", "rollout", "shop@1.1.0", share, "--in", folder)
                }
            }
            try await bundlectl.expect(10, "check")
        }
    }

    @Test func `a feed that has started over is accepted once when the operator says so`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await publisher.publish("1.0.0", with: bundlectl)
            try await bundlectl.expect(0, "feed", "rollout", "shop@1.0.0", "50%", "--in", folder)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "check")
            try FileManager.default.removeItem(atPath: folder + "/feed.json")
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(65, "update")
            try await bundlectl.expect(64, "update", "--accept-older-feed")
            try await bundlectl.expect(10, "check", "shop", "--accept-older-feed")
            #expect(try await bundlectl.expect(0, "update").output.contains("updated shop: 1.0.0 to 1.1.0"))
            #expect(try await bundlectl("history", "shop").output.contains("accepted, although the feed is older"))
        }
    }

    @Test func `a revoked release with nothing in its place is told, and resolve says so`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await publisher.publish("1.0.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "feed", "revoke", "shop@1.0.0", "--in", folder)
            let update = try await bundlectl.expect(65, "update")
            #expect(update.errorOutput.contains("shop@1.0.0 is revoked by its publisher"))
            #expect(try await bundlectl.expect(65, "check").output == "shop 1.0.0: revoked by its publisher\n")
            for (verb, member) in [("check", "state"), ("update", "outcome")] {
                let entry = try await bundlectl.json(verb)["bundles"]?.array?.first
                #expect(entry?[member]?.string == "upToDate")
                #expect(entry?["isRevoked"] == true)
            }
            let resolution = try await bundlectl("resolve", "\(publisher.origin)/shop/").output
            #expect(resolution.contains("was revoked by its publisher"))
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "update")
        }
    }

    @Test func `publishing the same archive again changes only what is said`() async throws {
        try await withPublisher { publisher, bundlectl in
            let publish = ["publish", publisher.archive("1.1.0"), "--to", publisher.site + "/releases"]
            let first = ["--channel", "beta", "--rollout", "10%", "--critical"]
            #expect(try await bundlectl.run(publish + first).exitCode == 0)
            #expect(try await bundlectl.run(publish + ["--rollout", "20%"]).exitCode == 0)
            let entry = try publisher.feed["versions"]?.array?.first
            #expect(entry?["channels"]?.array?.map(\.string) == ["beta"])
            #expect(entry?["rollout"]?.integer == 20)
            #expect(entry?["critical"] == true)
            #expect(try await bundlectl.run(publish + ["--no-critical"]).exitCode == 0)
            #expect(try publisher.feed["versions"]?.array?.first?["critical"] == nil)
        }
    }

    @Test func `unpublish and prune take releases out, and their archives a day later`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await publisher.publish("1.0.0", with: bundlectl)
            let pruned = try await bundlectl.expect(
                0,
                "publish",
                publisher.archive("1.1.0"),
                "--to",
                folder,
                "--prune",
                "1"
            )
            #expect(pruned.output.contains("shop@1.0.0 is no longer offered"))
            #expect(pruned.output.contains("shop-1.0.0.zip stays for a day"))
            let files = ["1.0.0", "1.1.0"].flatMap { ["shop-\($0).contents.json.zst", "shop-\($0).zip"] }
            func released() throws -> [String] {
                try TreeSnapshot(of: folder).files.keys.sorted().filter { !$0.hasSuffix(".patch") }
            }
            #expect(try released() == ["feed.json", "feed.withdrawn.json"] + files)
            try await bundlectl.expect(64, "feed", "unpublish", "shop@1.0.0", "--in", folder)
            try await bundlectl.expect(0, "feed", "unpublish", "shop@1.1.0", "--in", folder)
            #expect(try released() == ["feed.json", "feed.withdrawn.json"] + files)
            // As if they had been there for a day.
            try Data(#"{"shop-1.0.0.zip": 0, "shop-1.1.0.zip": 0}"#.utf8)
                .write(to: URL(fileURLWithPath: folder + "/feed.withdrawn.json"))
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--prune", "1")
            #expect(try released() == ["feed.json", "shop-1.1.0.contents.json.zst", "shop-1.1.0.zip"])
            try await bundlectl.expect(0, "feed", "unpublish", "shop@1.1.0", "--in", folder)
            #expect(try publisher.feed["versions"]?.array?.isEmpty == true)
            #expect(try publisher.feed["sequence"]?.integer == 5)
        }
    }

    @Test func `a folder without a feed, or with another bundle's, isn't changed`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.site + "/releases"
            try await bundlectl.expect(64, "feed", "revoke", "shop@1.1.0", "--in", folder)
            try await publisher.publish("1.1.0", with: bundlectl)
            let before = try TreeSnapshot(of: folder)
            try await bundlectl.expect(65, "feed", "revoke", "docs@1.1.0", "--in", folder)
            try await bundlectl.expect(64, "feed", "revoke", "shop@9.9.9", "--in", folder)
            try await bundlectl.expect(64, "feed", "revoke", "shop", "--in", folder)
            try await bundlectl.expect(73, "feed", "revoke", "shop@1.1.0", "--in", folder + "/missing")
            #expect(try TreeSnapshot(of: folder) == before)
        }
    }
}

extension Publisher {
    /// The feed in the folder.
    var feed: AnyJSON {
        get throws {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: site + "/releases/feed.json"))
            return try JSONDecoder().decode(AnyJSON.self, from: bytes)
        }
    }
}
