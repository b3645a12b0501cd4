import BundleStore
import BundleTesting
import Foundation
import Testing

/// Each verb of the real `bundlectl`: what it does, what it prints, how it exits.
struct VerbTests {
    @Test func `install says what it did, and the second time that there is nothing to do`() async throws {
        try await withPublisher { publisher, bundlectl in
            let first = try await bundlectl("install", publisher.archive("1.0.0"))
            #expect(first.exitCode == 0)
            #expect(first.output.contains("shop@1.0.0"))
            let before = try TreeSnapshot(of: bundlectl.store + "/segments")
            let second = try await bundlectl("install", publisher.archive("1.0.0"))
            #expect(second.exitCode == 0)
            #expect(second.output.contains("already"))
            #expect(try TreeSnapshot(of: bundlectl.store + "/segments") == before)
        }
    }

    @Test func `the same version with other content is refused unless forced`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let folder = publisher.directory.path(of: "changed")
            let archive = publisher.directory.path(of: "changed.tar.gz")
            try FileManager.default.copyItem(atPath: Project.path("bundles/shop/1.0.0"), toPath: folder)
            try "changed".write(toFile: folder + "/data/new.txt", atomically: true, encoding: .utf8)
            try await bundlectl.expect(0, "pack", folder, archive)
            let refused = try await bundlectl("install", archive)
            #expect(refused.exitCode == 65)
            #expect(refused.errorOutput.contains("--force"))
            try await bundlectl.expect(0, "install", archive, "--force")
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test(arguments: ["zip", "tar", "tar.gz", "tar.xz", "tar.zst"])
    func `what pack makes, install takes and export gives back`(suffix: String) async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let archive = directory.path(of: "shop.\(suffix)")
            let source = Project.path("bundles/shop/1.0.0")
            try await bundlectl.expect(0, "pack", source, archive)
            try await bundlectl.expect(0, "install", archive)
            try await bundlectl.expect(0, "export", "shop", directory.path(of: "out"))
            #expect(try TreeSnapshot(of: directory.path(of: "out")).files == TreeSnapshot(of: source).files)
        }
    }

    @Test func `list and show tell versions and states, in JSON too`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            let list = try await bundlectl("list")
            #expect(list.output.contains("1.0.0") && list.output.contains("1.1.0") && list.output.contains("active"))
            let show = try await bundlectl("show", "shop")
            #expect(show.exitCode == 0)
            #expect(show.output.contains(publisher.origin))
            #expect(try await bundlectl("show", "shop@1.0.0").output.contains("retained"))
            try await bundlectl.expect(64, "show", "nothing")
            let document = try await bundlectl.json("list")
            #expect(document["bundles"]?.array?.first?["active"]?.string == "1.1.0")
            let details = try await bundlectl.json("show", "shop@1.0.0")
            #expect(details["state"]?.string == "retained")
        }
    }

    @Test func `resolve says which layer and rule answered, and why not the others`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let page = try await bundlectl("resolve", "\(publisher.origin)/shop/")
            #expect(page.exitCode == 0)
            #expect(page.output.contains("active") && page.output.contains("index.html"))
            let missing = try await bundlectl("resolve", "\(publisher.origin)/shop/api/stock.json")
            #expect(missing.output.contains("network"))
            try await bundlectl.expect(64, "resolve", "not a url")
        }
    }

    @Test func `activate, rollback, remove and prune do as they say`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"), "--no-activate")
            try await bundlectl.expect(64, "rollback", "shop")  // there is nothing to go back to
            try await bundlectl.expect(0, "activate", "shop@1.1.0")
            try await bundlectl.expect(64, "activate", "shop@9.9.9")
            try await bundlectl.expect(0, "rollback", "shop")
            try await bundlectl.expect(64, "remove", "shop@1.0.0")  // it is active
            try await bundlectl.expect(0, "remove", "shop@1.1.0")
            try await bundlectl.expect(0, "prune")
            try await bundlectl.expect(0, "verify")
            try await bundlectl.expect(0, "remove", "shop")
            try await bundlectl.expect(0, "prune")
            #expect(try TreeSnapshot(of: bundlectl.store + "/segments").files.isEmpty)
        }
    }

    @Test func `verify finds a flipped bit and names the file`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "verify")
            let folder = URL(fileURLWithPath: bundlectl.store + "/segments")
            let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first)
            let segment = folder.appendingPathComponent(name)
            var bytes = try Data(contentsOf: segment)
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: segment)
            let verify = try await bundlectl("verify")
            #expect(verify.exitCode == 65)
            #expect((verify.output + verify.errorOutput).contains("shop@1.0.0"))
        }
    }

    @Test func `cache list and clear show and forget what came from the network`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                #expect(try await Curl.get("\(address)/shop/api/stock.json").status == 200)
                #expect(try await bundlectl("cache", "list").output.contains("api/stock.json"))
                try await bundlectl.expect(0, "cache", "clear")
                #expect(try await !bundlectl("cache", "list").output.contains("api/stock.json"))
                #expect(try await Curl.get("\(address)/shop/api/stock.json").status == 200)
                #expect(publisher.requestedPaths.count == 2)
            }
        }
    }

    @Test func `an archive without a manifest needs a name, a version and an origin`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            try directory.write(tree: ["index.html": "<!doctype html>", "a/b.txt": "b"], to: "plain")
            let archive = directory.path(of: "plain.zip")
            let packed = try await ChildProcess.run(
                "bsdtar",
                ["-acf", archive, "-C", directory.path(of: "plain"), "."]
            )
            #expect(packed.exitCode == 0)
            let refused = try await bundlectl("install", archive)
            #expect(refused.exitCode == 65)
            #expect(refused.errorOutput.contains("--name"))
            let options = ["--name", "plain", "--version", "3", "--origin", "https://plain.example/"]
            let result = try await ChildProcess.run(
                Bundlectl.path,
                ["install", archive] + options,
                environment: bundlectl.environment
            )
            #expect(result.exitCode == 0)
            #expect(try await bundlectl("resolve", "https://plain.example/a/b.txt").output.contains("a/b.txt"))
        }
    }

    @Test(arguments: Mistake.all)
    func `a mistake is one line and a documented exit status`(mistake: Mistake) async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let archive = directory.path(of: "shop.zip")
            let packed = try await bundlectl("pack", Project.path("bundles/shop/1.0.0"), archive)
            #expect(packed.exitCode == 0)
            let arguments = mistake.arguments.map { $0 == "ARCHIVE" ? archive : $0 }
            let result = try await ChildProcess.run(Bundlectl.path, arguments, environment: bundlectl.environment)
            #expect(result.exitCode == mistake.status, "\(result.errorOutput)")
            #expect(result.output == "")
            let lines = result.errorOutput.split(separator: "\n")
            // To a wrong command line ArgumentParser adds its usage.
            #expect(mistake.status == 64 ? !lines.isEmpty : lines.count == 1)
        }
    }

    @Test func `a bundle that another process works on is busy, or waited for`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let store = try BundleStore(at: bundlectl.store)
            let lock = try store.lockUpdate(of: try #require(BundleName("shop")))
            try await bundlectl.expect(75, "update", "shop")
            withExtendedLifetime(lock) {}
        }
    }
}

struct Mistake: CustomTestStringConvertible {
    let arguments: [String]
    let status: Int32

    static let all = [
        Mistake(arguments: ["install", "/nonexistent/shop.zip"], status: 65),
        Mistake(arguments: ["install"], status: 64),
        Mistake(arguments: ["frobnicate"], status: 64),
        Mistake(arguments: ["list", "--frobnicate"], status: 64),
        Mistake(arguments: ["show", "Not A Name"], status: 64),
        Mistake(arguments: ["activate", "shop"], status: 64),
        Mistake(arguments: ["serve", "--listen", "nonsense"], status: 64),
        Mistake(arguments: ["list", "--store", "/dev/null/store"], status: 73),
        Mistake(arguments: ["install", "ARCHIVE", "--store", "/dev/null/store"], status: 73),
    ]

    var testDescription: String { arguments.joined(separator: " ") }
}
