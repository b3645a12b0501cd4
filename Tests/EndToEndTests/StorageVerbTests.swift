import BundleTesting
import Testing

/// How the verbs of the real `bundlectl` limit storage: what they remove, and what they report.
struct StorageVerbTests {
    @Test func `prune keeps as many earlier versions as --keep says`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            #expect(try await bundlectl("prune", "--keep", "1").output == "nothing to prune\n")
            #expect(try await bundlectl("prune", "--keep", "0").output.contains("removed shop@1.0.0"))
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `what an install removes for the quota is reported, and the version before is only removed on request`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            func byteCount() async throws -> Int {
                try #require(try await bundlectl.json("quota")["byteCount"]?.integer)
            }
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            let new = try await byteCount()
            try await bundlectl.expect(0, "remove", "shop")
            try await bundlectl.expect(0, "prune")
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let quota = "\(max(new, try await byteCount()) + 500)B"
            try await bundlectl.expect(0, "quota", quota)
            let refused = try await bundlectl.expect(73, "install", publisher.archive("1.1.0"))
            #expect(
                refused.errorOutput.contains("there is room without shop@1.0.0, to which a rollback leads: --keep 0")
            )
            #expect(try await bundlectl("list").output.contains("1.0.0"))
            let installed = try await bundlectl.json("install", publisher.archive("1.1.0"), "--keep", "0")
            #expect(installed["removed"]?.array?.map { $0["version"]?.string } == ["1.0.0"])
            #expect(installed["removed"]?.array?.map { $0["reason"]?.string } == ["quota"])
            let back = try await bundlectl.expect(0, "install", publisher.archive("1.0.0"), "--keep", "0")
            #expect(back.output.contains("\nremoved shop@1.1.0: the quota had no room for it\n"))
        }
    }

    @Test func `versions that were never activated are pruned like others, but not by their own installation`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let staged = try await bundlectl.expect(
                0,
                "install",
                publisher.archive("1.1.0"),
                "--no-activate",
                "--keep",
                "0"
            )
            #expect(!staged.output.contains("removed"))
            #expect(try await bundlectl("prune").output == "nothing to prune\n")
            let pruned = try await bundlectl.expect(0, "prune", "--keep", "0")
            #expect(
                pruned.output.hasPrefix(
                    "removed shop@1.1.0: never activated, and more such versions than --keep says\n"
                )
            )
            #expect(try await !bundlectl("list").output.contains("1.1.0"))
        }
    }

    @Test func `install keeps one earlier version, or as many as --keep says, and the pinned ones`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let install = try await bundlectl.expect(0, "install", publisher.archive("1.1.0"), "--keep", "0")
            #expect(install.output.contains("\nremoved shop@1.0.0: more earlier versions than --keep says\n"))
            #expect(try await !bundlectl("list").output.contains("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            #expect(try await bundlectl("list").output.contains("1.1.0"))
            try await bundlectl.expect(0, "pin", "shop@1.1.0")
            try await bundlectl.expect(0, "prune", "--keep", "0")
            #expect(try await bundlectl("list").output.contains("retained, pinned"))
            #expect(try await bundlectl("show", "shop@1.1.0").output.contains("retained, pinned"))
            let refused = try await bundlectl("remove", "shop")
            #expect(refused.exitCode == 64)
            #expect(refused.errorOutput.contains("bundlectl unpin shop@1.1.0"))
            try await bundlectl.expect(0, "unpin", "shop@1.1.0")
            try await bundlectl.expect(0, "remove", "shop")
        }
    }

    @Test func `an install that exceeds the quota is refused with its numbers, and nothing is removed`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            #expect(try await bundlectl("quota").output.contains("none"))
            try await bundlectl.expect(0, "quota", "1KB")
            let refused = try await bundlectl("install", publisher.archive("1.1.0"))
            #expect(refused.exitCode == 73)
            #expect(refused.errorOutput.split(separator: "\n").count == 1)
            #expect(refused.errorOutput.contains("may have 1.0 KB: "))
            #expect(try await bundlectl("show", "shop").output.contains("1.0.0"))
            try await bundlectl.expect(0, "verify")
            try await bundlectl.expect(0, "quota", "none")
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
        }
    }
}
