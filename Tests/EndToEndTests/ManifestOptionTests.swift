import BundleArchive
import BundleTesting
import Foundation
import Testing

/// `--manifest FILE` of `init`, `pack`, `install`, `publish` and `serve`, and what a build that empties its folder leaves.
struct ManifestOptionTests {
    private static let kiosk = #"{"name": "kiosk", "version": "2.0.0", "origins": []}"#
    private static let page = ["index.html": "<p>one", "a.js": "1"]

    @Test func `each verb takes the file in place of what the folder or the archive says`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let file = try directory.write(Self.kiosk, to: "kiosk.json")
            let shop = Self.kiosk.replacing("kiosk", with: "shop")
            let folder = try directory.write(tree: Self.page.merging(["bundle.json": shop]) { $1 }, to: "dist")
            let archive = directory.path(of: "shop.zip")
            try await bundlectl.expect(0, "pack", folder, archive)

            let packed = try await bundlectl.json("pack", folder, directory.path(of: "kiosk.zip"), "--manifest", file)
            #expect(packed["name"]?.string == "kiosk")
            for source in [folder, archive] {
                let installed = try await bundlectl.json("install", source, "--manifest", file, "--force")
                #expect(installed["name"]?.string == "kiosk")
                try await bundlectl.expect(0, "export", "kiosk", directory.path(of: "out"))
                #expect(try directory.read("out/bundle.json") == Array(Self.kiosk.utf8))
                try FileManager.default.removeItem(atPath: directory.path(of: "out"))
            }
            let feed = directory.path(of: "feed")
            for isRepeated in [false, true] {
                let published = try await bundlectl.json("publish", archive, "--to", feed, "--manifest", file)
                #expect(published["name"]?.string == "kiosk")
                #expect(published["isRepeated"] == .bool(isRepeated))
            }
            let other = Bundlectl(store: directory.path(of: "other"))
            let installed = try await other.json("install", "\(feed)/kiosk-2.0.0.zip")
            #expect(installed["name"]?.string == "kiosk" && installed["fileCount"]?.integer == 3)
            try await bundlectl.serving(folder, "--manifest", file) { address, _ in
                let page = try await Curl.get(Bundlectl.own("kiosk", address))
                #expect(page.text == "<p>one")
            }
        }
    }

    @Test func `a relative path is one from the working folder`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: Self.page, to: "app/dist")
            try directory.write(Self.kiosk, to: "app/bundle.json")
            let packed = try await ChildProcess.run(
                Bundlectl.path,
                ["pack", "dist", "kiosk.zip", "--manifest", "bundle.json"],
                currentDirectory: directory.path(of: "app")
            )
            #expect(packed.exitCode == 0, "\(packed.errorOutput)")
        }
    }

    @Test func `a file that isn't there or is wrong is named`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let folder = try directory.write(tree: Self.page, to: "dist")
            let archive = directory.path(of: "kiosk.zip")
            let good = try directory.write(Self.kiosk, to: "good.json")
            try await bundlectl.expect(0, "pack", folder, archive, "--manifest", good)
            let verbs = [
                ["pack", folder, directory.path(of: "a.zip")], ["install", folder], ["install", archive],
                ["publish", archive, "--to", directory.path(of: "feed")], ["serve", folder],
            ]
            let none = directory.path(of: "none.json")
            let wrong = try directory.write("{", to: "wrong.json")
            for verb in verbs {
                let missing = try await bundlectl.run(verb + ["--manifest", none])
                #expect(missing.exitCode == 66 && missing.errorOutput.contains(none), "\(verb) \(missing.errorOutput)")
                let invalid = try await bundlectl.run(verb + ["--manifest", wrong])
                #expect(invalid.exitCode == 65 && invalid.errorOutput.contains(wrong), "\(verb) \(invalid.errorOutput)")
            }
            #expect(!FileManager.default.fileExists(atPath: directory.path(of: "feed")))
            for verb in verbs[1...3] {
                let both = try await bundlectl.run(verb + ["--manifest", good, "--name", "a", "--version", "1"])
                #expect(both.exitCode == 64)
            }
            try await bundlectl.expect(64, "serve", "--manifest", good)
            try await bundlectl.expect(64, "install", "https://get.example/feed.json", "--manifest", good)
        }
    }

    @Test func `init writes where a build doesn't remove it, and prints the commands that find it`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            _ = try directory.write(tree: Self.page, to: "app/dist")
            try directory.write("{}", to: "app/package.json")
            func run(_ arguments: String...) async throws -> ProcessResult {
                try await ChildProcess.run(
                    Bundlectl.path,
                    arguments,
                    environment: bundlectl.environment,
                    currentDirectory: directory.path(of: "app")
                )
            }
            let beside = try await run("init", "dist", "--name", "shop")
            #expect(beside.output.contains("wrote bundle.json: shop@1.0.0"))
            #expect(beside.output.contains("next: bundlectl pack dist shop-1.0.0.zip --manifest bundle.json\n"))
            #expect(beside.output.contains("or:   bundlectl install dist --manifest bundle.json\n"))
            #expect(!FileManager.default.fileExists(atPath: directory.path(of: "app/dist/bundle.json")))
            #expect(try await run("init", "dist", "--name", "shop").exitCode == 64)
            #expect(try await run("install", "dist", "--manifest", "bundle.json").exitCode == 0)

            _ = try directory.write(tree: ["icon.svg": "<svg/>"], to: "app/public")
            try directory.write(#"{"devDependencies": {"vite": "^8.0.0"}}"#, to: "app/package.json")
            let copied = try await run("init", "dist", "--name", "shop")
            #expect(copied.output.contains("wrote public/bundle.json: shop@1.0.0"))
            #expect(copied.output.contains("wrote dist/bundle.json too"))
            #expect(copied.output.contains("next: bundlectl pack dist shop-1.0.0.zip\n"))
            #expect(try directory.read("app/dist/bundle.json") == directory.read("app/public/bundle.json"))

            let given = try await run("init", "dist", "--name", "shop", "--manifest", "my app.json")
            #expect(given.output.contains("or:   bundlectl install dist --manifest 'my app.json'\n"))
            #expect(try directory.read("app/my app.json") == directory.read("app/public/bundle.json"))
        }
    }
}
