import BundleStore
import BundleTesting
import Foundation
import Testing

/// The reference implementation of The Update Framework follows what `bundlectl` signs, and `bundlectl` what that signs.
@Suite("Beside python-tuf", .enabled(if: PythonTUF.isInstalled, "\(PythonTUF.advice)"))
struct PythonTUFTests {
    private func update(_ publisher: Publisher, anchor: String, to name: String, _ targets: [String]) async throws {
        let folder = publisher.directory.path(of: name)
        let result = try await PythonTUF.run(
            "update",
            [anchor, publisher.origin + "/releases/", folder] + targets
        )
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        for target in targets {
            let published = FileManager.default.contents(atPath: "\(publisher.site)/releases/\(target)")
            let received = FileManager.default.contents(atPath: "\(folder)/targets/\(target)")
            #expect(received != nil && received == published, "\(target)")
        }
    }

    @Test func `python-tuf's client updates from a folder that publish signed, from its first root on`() async throws {
        try await withPublisher { publisher, bundlectl in
            let (keys, folder) = (publisher.directory.path(of: "keys"), publisher.site + "/releases")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            try await bundlectl.expect(0, "publish", publisher.archive("1.0.0"), "--to", folder, "--keys", keys)
            let anchor = keys + "/1.root.json"
            let first = ["feed.json", "shop-1.0.0.zip"]
            try await update(publisher, anchor: anchor, to: "following", first)
            for role in ["root", "release", "online"] {
                try await bundlectl.expect(0, "keys", "rotate", role, "--in", keys, "--feed", folder)
            }
            try await bundlectl.expect(0, "publish", publisher.archive("1.1.0"), "--to", folder, "--keys", keys)
            try await bundlectl.expect(0, "feed", "rollout", "shop@1.1.0", "50%", "--in", folder, "--keys", keys)
            for device in ["following", "new"] {
                try await update(publisher, anchor: anchor, to: device, first + ["shop-1.1.0.zip"])
            }
        }
    }

    @Test func `a device installs and updates from a folder that python-tuf signed, and follows its new keys`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            let (first, second) = (publisher.directory.path(of: "first"), publisher.directory.path(of: "second"))
            for (folder, versions) in [(first, ["1.0.0"]), (second, ["1.0.0", "1.1.0"])] {
                for version in versions {
                    try await bundlectl.expect(0, "publish", publisher.archive(version), "--to", folder)
                }
            }
            let python = try await PythonTUF.run("repository", [first, second])
            #expect(python.exitCode == 0, "\(python.errorOutput)")
            let anchor = try #require(FileManager.default.contents(atPath: first + "/1.root.json"))
            try publisher.serve(first)
            let feed = publisher.origin + "/releases/feed.json"
            try await bundlectl.expect(0, "install", feed, "--trust", "sha256:\(Digest(of: Array(anchor)))")
            #expect(try await bundlectl("list").output.contains("1.0.0"))
            try publisher.serve(second)
            try await bundlectl.expect(0, "update", "shop", "--feed", feed)
            #expect(try await bundlectl("list").output.contains("1.1.0"))
            let roles = try await bundlectl.json("trust", "show", "shop")["roles"]?.array ?? []
            #expect(roles.first { $0["name"]?.string == "root" }?["version"]?.integer == 2)
        }
    }
}

extension Publisher {
    /// Copies the files of a folder to that of the feed.
    fileprivate func serve(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            try bytes.write(to: URL(fileURLWithPath: "\(site)/releases/\(name)"))
        }
    }
}
