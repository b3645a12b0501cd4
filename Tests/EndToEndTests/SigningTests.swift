import BundleTesting
import Foundation
import Testing

/// The way of a publisher's keys, as the page “Signing” has it.
struct SigningTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `two commands lead to a signed release, and one replaces a key`() async throws {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let archive = publisher.archive("1.1.0")
            let result = try await bundlectl.expect(0, "publish", archive, "--to", folder, "--keys", keys)
            #expect(result.output.contains("signed until"))
            for name in ["1.root.json", "1.targets.json", "1.feed.json", "1.snapshot.json", "timestamp.json"] {
                #expect(FileManager.default.fileExists(atPath: "\(folder)/\(name)"))
            }
            let before = try await bundlectl.json("keys", "show", "--in", keys)
            try await bundlectl.expect(0, "keys", "rotate", "release", "--in", keys, "--feed", folder)
            let after = try await bundlectl.json("keys", "show", "--in", keys)
            #expect(after["anchorSHA256"] == before["anchorSHA256"])
            #expect(after["rootVersion"]?.integer == 2)
            try await bundlectl.expect(0, "publish", archive, "--to", folder, "--keys", keys, "--rollout", "10%")
        }
    }

    @Test func `a device follows a signed feed through the replacement of each key, and takes nothing else any more`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            let feed = publisher.origin + "/releases/feed.json"
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let anchor = try #require(try await bundlectl.json("keys", "show", "--in", keys)["anchorSHA256"]?.string)
            try await bundlectl.expect(0, "publish", publisher.archive("1.0.0"), "--to", folder, "--keys", keys)
            let wrong = String(repeating: "0", count: 64)
            let refused = try await bundlectl.run(["install", feed, "--trust", "sha256:\(wrong)"])
            #expect(refused.exitCode != 0 && refused.errorOutput.contains("root.json"), "\(refused.errorOutput)")
            #expect(try await !bundlectl("list").output.contains("1.0.0"))
            try await bundlectl.expect(0, "install", feed, "--trust", "sha256:\(anchor)")
            #expect(try await bundlectl("list").output.contains("1.0.0"))
            for role in ["root", "release", "online"] {
                try await bundlectl.expect(0, "keys", "rotate", role, "--in", keys, "--feed", folder)
            }
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--keys", keys)
            try await bundlectl.expect(0, "update", "shop")
            #expect(try await bundlectl("list").output.contains("1.1.0"))
            let versions = try await bundlectl.json("list")["bundles"]?.array?.first?["versions"]?.array
            #expect(versions?.map { $0["signedBy"]?.string } == [anchor, anchor])
            #expect(try await bundlectl("show", "shop").output.contains("sha256:\(anchor)"))
            // A thief who can write to the server offers another archive, without the keys.
            let text = try String(contentsOfFile: "\(folder)/feed.json", encoding: .utf8)
            let changed = text.replacing(#""version": "1.1.0""#, with: #""version": "1.2.0""#)
            #expect(changed != text)
            try Data(changed.utf8).write(to: URL(fileURLWithPath: "\(folder)/feed.json"))
            try await bundlectl.expect(0, "update", "shop")
            #expect(try await !bundlectl("list").output.contains("1.2.0"))
            // Who has nothing yet finds what is signed under the name that has its digest.
            let other = Bundlectl(store: publisher.directory.path(of: "other"))
            try await other.expect(0, "install", feed, "--trust", "sha256:\(anchor)")
            #expect(try await other("list").output.contains("1.1.0"))
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.count > 64 + 9 {
                guard name.hasSuffix(".feed.json") else { continue }
                try Data(changed.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            let third = Bundlectl(store: publisher.directory.path(of: "third"))
            let taken = try await third.run(["install", feed, "--trust", "sha256:\(anchor)"])
            #expect(taken.exitCode == 65 && taken.errorOutput.contains("feed.json"), "\(taken.errorOutput)")
            #expect(try await third("list").output.contains("1.0.0") == false)
        }
    }

    @Test func `a server with the online key alone changes a signed feed, and nobody without a key does`() async throws
    {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let archive = publisher.archive("1.1.0")
            try await bundlectl.expect(0, "publish", archive, "--to", folder, "--keys", keys)
            let online = publisher.directory.path(of: "online")
            let copy = "mkdir -m 700 \(online) && cp \(keys)/online-*.key.json \(keys)/1.root.json \(online)/"
            try #require(try await ChildProcess.run("/bin/sh", ["-c", copy]).exitCode == 0)
            let rollout = ["feed", "rollout", "shop@1.1.0", "50%", "--in", folder]
            let refused = try await bundlectl.run(rollout)
            #expect(refused.exitCode == 64)
            #expect(refused.errorOutput.contains("--keys"))
            #expect(try await bundlectl.run(rollout + ["--keys", online]).exitCode == 0)
            let refreshed = try await bundlectl.expect(0, "feed", "refresh", "--in", folder, "--keys", online)
            #expect(refreshed.output.contains("feed refresh --in \(folder) --keys \(online) >/dev/null"))
            #expect(try await bundlectl.run(["publish", archive, "--to", folder, "--keys", online]).exitCode == 64)
        }
    }

    @Test func `an operator sees who has signed, until when, and by which clock, and a monitor needs no key`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            let feed = publisher.origin + "/releases/feed.json"
            try await bundlectl.expect(0, "publish", publisher.archive("1.0.0"), "--to", folder)
            let unsigned = try await bundlectl.run(["feed", "check", folder])
            #expect(unsigned.exitCode == 65 && unsigned.errorOutput.contains("1.root.json"), "\(unsigned.errorOutput)")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let anchor = try #require(try await bundlectl.json("keys", "show", "--in", keys)["anchorSHA256"]?.string)
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--keys", keys)
            for place in [folder, feed] {
                try await bundlectl.expect(0, "feed", "check", place, "--trust", "sha256:\(anchor)")
            }
            let wrong = "sha256:\(String(repeating: "0", count: 64))"
            #expect(try await bundlectl.run(["feed", "check", feed, "--trust", wrong]).exitCode == 65)
            try await bundlectl.expect(0, "install", feed, "--trust", "sha256:\(anchor)")
            let check = try await bundlectl.run(["check", "--explain"])
            #expect(check.output.contains("sha256:\(anchor)"), "\(check.output)")
            #expect(check.output.contains("signed by root 1 of "), "\(check.output)")
            #expect(try await bundlectl("doctor", "--offline").output.contains("1 feed has to be signed"))
            try await bundlectl.expect(0, "trust", "clock", "none")
            #expect(try await bundlectl.json("trust", "list")["clock"]?.string == "none")
            #expect(try await bundlectl("doctor", "--offline").output.contains("isn't noticed"))
        }
    }

    @Test func `a key whose file is elsewhere is replaced too, and a folder without a root signs nothing`() async throws
    {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--keys", keys)
            let online = publisher.directory.path(of: "online")
            let move = "mkdir -m 700 \(online) && mv \(keys)/online-*.key.json \(online)/"
            try #require(try await ChildProcess.run("/bin/sh", ["-c", move]).exitCode == 0)
            let refused = try await bundlectl.run(["feed", "refresh", "--in", folder, "--keys", online])
            #expect(refused.exitCode == 64 && refused.errorOutput.contains("has no root"), "\(refused.errorOutput)")
            try await bundlectl.expect(0, "keys", "rotate", "online", "--in", keys, "--feed", folder)
            let root = try String(contentsOfFile: "\(folder)/2.root.json", encoding: .utf8)
            // Root, release and online, each of one key.
            #expect(root.components(separatedBy: #""keytype":"#).count == 4)
        }
    }

    @Test func `encrypted keys take a passphrase, which nobody asks for without a terminal`() async throws {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            let file = try publisher.directory.write("correct horse\n", to: "passphrase")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            try await bundlectl.expect(0, "keys", "init", "--in", keys, "--passphrase-file", file)
            #expect(try mode(keys) == 0o700)
            for name in try FileManager.default.contentsOfDirectory(atPath: keys) where name.hasSuffix(".key.json") {
                #expect(try mode("\(keys)/\(name)") == 0o600)
            }
            let publish = ["publish", publisher.archive("1.1.0"), "--to", folder, "--keys", keys]
            let refused = try await bundlectl.run(publish)
            #expect(refused.exitCode == 64)
            #expect(refused.errorOutput.contains("--passphrase-file"))
            #expect(try await bundlectl.run(publish + ["--passphrase-file", file]).exitCode == 0)
        }
    }
}
