import BundleTesting
import Foundation
import Testing

/// The verbs of publishers and devices on a bucket of a real object store.
@Suite("Verbs on a bucket", .enabled(if: SeaweedFS.isInstalled, "\(SeaweedFS.advice)"), .timeLimit(.minutes(10)))
struct PlaceVerbTests {
    /// Calls `body` with a publisher and a device, both with the keys to a store that has the bucket `feeds`.
    private func withBucket(_ body: (Publisher, Bundlectl) async throws -> Void) async throws {
        try await withPublisher { publisher, bundlectl in
            try await SeaweedFS.run { server in
                let user =
                    "\(server.environment["AWS_ACCESS_KEY_ID"] ?? ""):\(server.environment["AWS_SECRET_ACCESS_KEY"] ?? "")"
                // Its parts come up one after the other.
                try await eventually("a bucket", every: .milliseconds(100)) {
                    try await ChildProcess.run(
                        "curl",
                        [
                            "--silent", "--fail", "--noproxy", "*", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user",
                            user, "-X",
                            "PUT", "\(server.url)/feeds",
                        ]
                    ).exitCode == 0
                }
                try await body(publisher, bundlectl.with(server.environment))
            }
        }
    }

    @Test func `a signed feed is published to a bucket, installed and updated from it, and copied from it and back`()
        async throws
    {
        try await withBucket { publisher, bundlectl in
            let (directory, place) = (publisher.directory, "s3://feeds/shop")
            let keys = directory.path(of: "keys")
            try await bundlectl.expect(0, "keys", "init", "--in", keys)
            let anchor = try #require(try await bundlectl.json("keys", "show", "--in", keys)["anchorSHA256"]?.string)
            let published = try await bundlectl.json(
                "publish",
                publisher.archive("1.0.0"),
                "--to",
                place,
                "--keys",
                keys
            )
            #expect(published["feed"]?.string == "s3://feeds/shop/feed.json")
            #expect(published["archive"]?.string == "s3://feeds/shop/shop-1.0.0.zip")
            try await bundlectl.expect(0, "install", place, "--trust", "sha256:\(anchor)")
            try await bundlectl.expect(0, "check", "shop")
            let second = try await bundlectl.json("publish", publisher.archive("1.1.0"), "--to", place, "--keys", keys)
            #expect(second["isRepeated"] == .bool(false))
            try await bundlectl.expect(10, "check", "shop")
            try await bundlectl.expect(0, "update", "shop")
            #expect(try await bundlectl("list").output.contains("1.1.0"))
            let list = try await bundlectl("feed", "list", "--in", place)
            #expect(list.output.contains("1.0.0") && list.output.contains("1.1.0"))
            try await bundlectl.expect(0, "feed", "check", place, "--trust", "sha256:\(anchor)")

            let stick = directory.path(of: "stick")
            try await bundlectl.expect(0, "mirror", place, "--to", stick, "--trust", "sha256:\(anchor)")
            let copy = "s3://feeds/copies/shop"
            let first = try await bundlectl.json("mirror", stick, "--to", copy, "--trust", "sha256:\(anchor)")
            #expect(first["copiedCount"]?.integer ?? 0 > 0)
            let again = try await bundlectl.json("mirror", stick, "--to", copy, "--trust", "sha256:\(anchor)")
            #expect(again["copiedCount"]?.integer == 0)
            let other = Bundlectl(store: directory.path(of: "other")).with(bundlectl.environment)
                .with(["BUNDLECTL_STORE": directory.path(of: "other")])
            try await other.expect(0, "install", copy, "--trust", "sha256:\(anchor)")
            #expect(try await other("list").output.contains("1.1.0"))
        }
    }

    @Test func `eight publishers at once lose no change`() async throws {
        try await withBucket { publisher, bundlectl in
            let place = "s3://feeds/shop"
            for version in ["1.0.0", "1.1.0"] {
                try await bundlectl.expect(0, "publish", publisher.archive(version), "--to", place, "--patches", "0")
            }
            try await withThrowingTaskGroup(of: ProcessResult.self) { group in
                for channel in 1...8 {
                    group.addTask {
                        try await bundlectl.run([
                            "feed", "promote", "shop@1.\(channel % 2).0", "--from", "stable", "--to",
                            "channel-\(channel)", "--in",
                            place,
                        ])
                    }
                }
                for try await result in group { #expect(result.exitCode == 0, "\(result.errorOutput)") }
            }
            for version in ["1.0.0", "1.1.0"] {
                let channels = try await bundlectl.json("feed", "show", "shop@\(version)", "--in", place)["channels"]?
                    .array
                #expect(channels?.count == 5, "\(channels ?? [])")
            }
        }
    }

    @Test func `what is wrong is said with a remedy, and without a secret`() async throws {
        try await withBucket { publisher, bundlectl in
            let archive = publisher.archive("1.0.0")
            for (place, variables, text) in [
                ("s3://missing/shop", [:], "missing"),
                ("s3://feeds/shop", ["AWS_SECRET_ACCESS_KEY": "wrong-secret"], "AWS_SECRET_ACCESS_KEY"),
                ("s3://feeds/shop", ["AWS_ENDPOINT_URL": "http://127.0.0.1:9"], "127.0.0.1:9"),
            ] as [(String, [String: String], String)] {
                let result = try await bundlectl.with(variables).run(["publish", archive, "--to", place])
                #expect(result.exitCode != 0 && result.errorOutput.contains(text), "\(result.errorOutput)")
                #expect(
                    !result.errorOutput.contains("wrong-secret")
                        && !result.errorOutput.contains("secret-of-the-publisher")
                )
            }
            for argument in ["s3://", "s3://UPPER/x", "s3://feeds/../x", "oci://", "ftp://host/x"] {
                let result = try await bundlectl("publish", archive, "--to", argument)
                #expect(result.exitCode == 64, "\(argument): \(result.errorOutput)")
            }
        }
    }
}
