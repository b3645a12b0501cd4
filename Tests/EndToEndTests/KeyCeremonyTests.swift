import BundleTesting
import Foundation
import Testing

/// Keys of several persons, and keys in key stores, with the real program.
struct KeyCeremonyTests {
    private func copy(_ names: String..., from source: String, to folder: String) throws {
        for name in names {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: "\(folder)/\(name)")
        }
    }

    @Test func `two persons replace a key in turn, and a device follows`() async throws {
        try await withPublisher { publisher, bundlectl in
            let (ann, bob) = (publisher.directory.path(of: "ann"), publisher.directory.path(of: "bob"))
            let (folder, feed) = (publisher.site + "/releases", publisher.origin + "/releases/feed.json")
            try await bundlectl.expect(0, "keys", "init", "--in", ann)
            try await bundlectl.expect(0, "publish", publisher.archive("1.0.0"), "--to", folder, "--keys", ann)
            let anchor = try #require(try await bundlectl.json("keys", "show", "--in", ann)["anchorSHA256"]?.string)
            try await bundlectl.expect(0, "install", feed, "--trust", "sha256:\(anchor)")
            // Bob makes a key of his own, and gives its public half to Ann.
            let made = try await bundlectl.expect(0, "keys", "add", "root", "--in", bob)
            let half = try #require(made.output.split(separator: "\n").last { $0.hasPrefix("public half") })
            let key = try #require(half.split(separator: " ").last.map(String.init))
            let added = try await bundlectl.expect(0, "keys", "add", "root", "--in", ann, "--public", key)
            #expect(added.output.contains("elsewhere"))
            let drafted = try await bundlectl.expect(0, "keys", "threshold", "root", "2", "--in", ann)
            #expect(drafted.output.contains("draft of version 3"))
            let busy = try await bundlectl.run(["keys", "rotate", "online", "--in", ann, "--feed", folder])
            #expect(busy.exitCode == 64 && busy.errorOutput.contains("discard"), "\(busy.errorOutput)")
            try copy("1.root.json", "2.root.json", "draft.root.json", from: ann, to: bob)
            let asked = try await bundlectl.run(["keys", "sign", "--in", bob])
            #expect(asked.exitCode == 64 && asked.errorOutput.contains("--yes"), "\(asked.errorOutput)")
            #expect(asked.errorOutput.contains("2 keys must sign"), "\(asked.errorOutput)")
            try await bundlectl.expect(0, "keys", "sign", "--in", bob, "--yes")
            try copy("3.root.json", from: bob, to: ann)
            // From now on no key is replaced without both.
            try await bundlectl.expect(0, "keys", "rotate", "release", "--in", ann, "--feed", folder)
            #expect(!FileManager.default.fileExists(atPath: "\(ann)/4.root.json"))
            try copy("draft.root.json", from: ann, to: bob)
            try await bundlectl.expect(0, "keys", "sign", "--in", bob, "--yes")
            try copy("4.root.json", from: bob, to: ann)
            let signed = try await bundlectl.expect(0, "keys", "sign", "--in", ann, "--feed", folder)
            #expect(signed.output.contains("shop-1.0.0.zip"))
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--keys", ann)
            try await bundlectl.expect(0, "update", "shop")
            #expect(try await bundlectl("list").output.contains("1.1.0"))
        }
    }

    @Test(arguments: [
        ("EC -pkeyopt ec_paramgen_curve:P-256", ""),
        ("RSA -pkeyopt rsa_keygen_bits:2048", " -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32"),
    ])
    func `a key store signs releases by a command, and a device takes them`(_ kind: String, _ options: String)
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            let key = publisher.directory.path(of: "store.key")
            let make =
                "openssl genpkey -algorithm \(kind) -out \(key) && openssl pkey -in \(key) -pubout -out \(key).pub"
            try #require(try await ChildProcess.run("/bin/sh", ["-c", make]).exitCode == 0)
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let sign = "openssl dgst -sha256 -sign \(key)\(options)"
            let rotate = ["keys", "rotate", "release", "--in", keys, "--public", "\(key).pub", "--sign-with"]
            for wrong in ["exit 3", "echo no", "yes"] {
                let result = try await bundlectl.run(rotate + [wrong])
                #expect(result.exitCode != 0 && result.errorOutput.contains("“\(wrong)”"), "\(result.errorOutput)")
            }
            #expect(!FileManager.default.fileExists(atPath: "\(keys)/2.root.json"))
            let log = publisher.directory.path(of: "ids")
            #expect(try await bundlectl.run(rotate + ["echo $BUNDLECTL_KEY_ID >> \(log); \(sign)"]).exitCode == 0)
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--keys", keys)
            let shown = try await bundlectl.json("keys", "show", "--in", keys)
            let ids = Set(try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init))
            #expect(
                ids.count == 1 && ids.isSubset(of: Set(shown["keys"]?.array?.compactMap { $0["id"]?.string } ?? []))
            )
            let anchor = try #require(shown["anchorSHA256"]?.string)
            let feed = publisher.origin + "/releases/feed.json"
            try await bundlectl.expect(0, "install", feed, "--trust", "sha256:\(anchor)")
            #expect(try await bundlectl("list").output.contains("1.1.0"))
        }
    }
}
