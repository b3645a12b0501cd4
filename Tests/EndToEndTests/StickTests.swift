import BundleTesting
import Foundation
import Testing

/// Sticks with copies of signed feeds, as the page “Signing” has it.
struct StickTests {
    /// A publisher with keys, who has published 1.0.0, and the paths of what it has.
    private struct Signer {
        let publisher: Publisher
        let bundlectl: Bundlectl
        /// The digest of the first root.
        let anchor: String

        var keys: String { publisher.directory.path(of: "keys") }
        var folder: String { "\(publisher.site)/releases" }
        var feed: String { "\(publisher.origin)/releases/feed.json" }
        var media: String { publisher.directory.path(of: "media") }
        var stick: String { "\(media)/shop" }

        init(_ publisher: Publisher, _ bundlectl: Bundlectl) async throws {
            (self.publisher, self.bundlectl) = (publisher, bundlectl)
            let keys = publisher.directory.path(of: "keys")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let shown = try await bundlectl.json("keys", "show", "--in", keys)
            anchor = try #require(shown["anchorSHA256"]?.string)
            try await publish("1.0.0")
        }

        func publish(_ version: String) async throws {
            try await bundlectl.expect(0, "publish", publisher.archive(version), "--to", folder, "--keys", keys)
        }

        func mirror(_ place: String) async throws -> ProcessResult {
            try await bundlectl.expect(0, "mirror", place, "--to", stick, "--valid", "90d", "--keys", keys)
        }
    }

    private func active(_ bundlectl: Bundlectl) async throws -> String? {
        try await bundlectl.json("list")["bundles"]?.array?.first?["active"]?.string
    }

    @Test func `a device without a network is brought up to date by a stick, and follows its feed as before`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            let signer = try await Signer(publisher, bundlectl)
            try await bundlectl.expect(0, "install", signer.feed, "--trust", "sha256:\(signer.anchor)")
            let copied = try await signer.mirror(signer.feed)
            #expect(copied.output.contains("signed until"))
            try await publisher.stop()
            try await signer.publish("1.1.0")
            let again = try await bundlectl.json("mirror", signer.folder, "--to", signer.stick, "--keys", signer.keys)
            #expect(try #require(again["copiedCount"]?.integer) < (try #require(again["fileCount"]?.integer)))
            try await bundlectl.expect(69, "update")
            try await bundlectl.expect(10, "check", "--from", signer.media)
            try await bundlectl.expect(0, "update", "--from", signer.media)
            #expect(try await active(bundlectl) == "1.1.0")
            // None but the manifest's.
            #expect(try await bundlectl.json("show", "shop")["updates"]?["feed"] == nil)
            // As the folder of one feed, and its file.
            try await bundlectl.expect(0, "update", "shop", "--from", signer.stick)
            try await bundlectl.expect(0, "update", "--from", "\(signer.stick)/feed.json")
            let missing = try await bundlectl.expect(66, "update", "--from", publisher.directory.path(of: "keys"))
            #expect(missing.errorOutput.contains("has no feed of a bundle that is installed"))
        }
    }

    @Test func `a stick alone is enough for a first installation, and another publisher's stick is refused`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            let signer = try await Signer(publisher, bundlectl)
            _ = try await signer.mirror(signer.folder)
            try await publisher.stop()
            try await bundlectl.expect(
                0,
                "install",
                signer.stick,
                "--trust",
                "sha256:\(signer.anchor)",
                "--require-trust"
            )
            #expect(try await active(bundlectl) == "1.0.0")
            let (keys, site) = (publisher.directory.path(of: "thief"), publisher.directory.path(of: "thief-site"))
            let stick = publisher.directory.path(of: "thief-media")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let archive = publisher.archive("1.1.0")
            try await bundlectl.expect(0, "publish", archive, "--to", site, "--keys", keys)
            try await bundlectl.expect(0, "mirror", site, "--to", stick, "--valid", "90d", "--keys", keys)
            try await bundlectl.expect(65, "update", "shop", "--from", stick)
            try await bundlectl.expect(65, "install", "\(stick)/shop-1.1.0.zip")
            try await bundlectl.expect(65, "mirror", site, "--to", stick, "--trust", "sha256:\(signer.anchor)")
            try await bundlectl.expect(64, "mirror", site, "--to", signer.stick, "--keys", keys)
            #expect(try await active(bundlectl) == "1.0.0")
        }
    }

    @Test func `an archive is installed by hand where it is signed, on the stick or as the device knows`() async throws
    {
        try await withPublisher { publisher, bundlectl in
            let signer = try await Signer(publisher, bundlectl)
            let archive = publisher.archive("1.0.0")
            let refused = try await bundlectl.expect(65, "install", archive, "--require-trust")
            #expect(refused.errorOutput.contains("wasn't opened"))
            try await bundlectl.expect(0, "trust", "add", "shop", "\(signer.keys)/1.root.json")
            try await bundlectl.expect(65, "install", archive)
            #expect(try await active(bundlectl) == nil)
            _ = try await signer.mirror(signer.folder)
            try await bundlectl.expect(0, "install", "\(signer.stick)/shop-1.0.0.zip")
            #expect(try await active(bundlectl) == "1.0.0")
            // The stick's targets are known now.
            try await bundlectl.expect(0, "remove", "shop")
            try await bundlectl.expect(0, "install", archive, "--require-trust")
            try await bundlectl.expect(65, "install", publisher.archive("1.1.0"))
            #expect(try await active(bundlectl) == "1.0.0")
        }
    }

    @Test func `an online key in a key store signs a stick`() async throws {
        try await withPublisher { publisher, bundlectl in
            let signer = try await Signer(publisher, bundlectl)
            let key = publisher.directory.path(of: "online.pem")
            let make =
                "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out \(key) && "
                + "openssl pkey -in \(key) -pubout -out \(key).pub"
            try #require(try await ChildProcess.run("/bin/sh", ["-c", make]).exitCode == 0)
            let rotate = [
                "keys", "rotate", "online", "--in", signer.keys, "--feed", signer.folder, "--public", "\(key).pub",
            ]
            let sign = ["--sign-with", "openssl dgst -sha256 -sign \(key)"]
            #expect(try await bundlectl.run(rotate + sign).exitCode == 0)
            _ = try await signer.mirror(signer.folder)
            try await bundlectl.expect(0, "install", signer.stick, "--trust", "sha256:\(signer.anchor)")
            #expect(try await active(bundlectl) == "1.0.0")
        }
    }
}
