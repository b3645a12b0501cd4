import BundleTesting
import Foundation
import Testing

/// `init`, `pack --version` and `install DIR`: from a folder of built pages to a bundle.
struct FolderTests {
    private static let build = [
        "index.html": "<!doctype html><script type=module src=/assets/app.js></script>", "assets/app.js": "1",
        "assets/app.css": "a{}",
    ]

    @Test func `init writes a manifest that packs, installs and is served, and doesn't overwrite it`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let folder = try directory.write(tree: Self.build, to: "shop/dist")
            try directory.write(#"{"name": "@example/shop", "version": "1.2.0"}"#, to: "shop/dist/package.json")
            let written = try await bundlectl.expect(0, "init", folder)
            #expect(written.output.contains("shop@1.2.0") && written.output.contains("next: bundlectl pack"))
            let manifest = try directory.read("shop/dist/bundle.json")
            let refused = try await bundlectl.expect(64, "init", folder, "--name", "other")
            #expect(refused.errorOutput.contains("--force"))
            #expect(try directory.read("shop/dist/bundle.json") == manifest)
            try await bundlectl.expect(0, "install", folder)
            try await bundlectl.serving { address, _ in
                let own = Bundlectl.own("shop", address)
                let navigation = ["-H", "Accept: text/html", "-H", "Sec-Fetch-Mode: navigate"]
                let route = try await Curl.get("\(own)orders/7", navigation)
                #expect(route.body == Array((Self.build["index.html"] ?? "").utf8))
                #expect(try await Curl.get("\(address)/shop/assets/app.js").text == "1")
            }
            let again = try await bundlectl.json(
                "init",
                folder,
                "--force",
                "--name",
                "kiosk",
                "--version",
                "2",
                "--origin",
                "https://m.example/",
                "--no-fallback"
            )
            #expect(again["name"]?.string == "kiosk")
            #expect(again["origins"]?.array?.compactMap(\.string) == ["https://m.example/"])
            #expect(again["fallback"] == nil)
        }
    }

    @Test func `init refuses what it can't know, and what isn't there`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let folder = try directory.write(tree: ["a.html": "", "b.html": ""], to: "shop")
            let before = try directory.snapshot(of: "shop")
            #expect(try await bundlectl.expect(64, "init", folder).errorOutput.contains("--entry"))
            #expect(try await bundlectl.expect(64, "init", folder, "--entry", "c.html").errorOutput.contains("c.html"))
            try await bundlectl.expect(66, "init", directory.path(of: "none"))
            try await bundlectl.expect(64, "init", folder, "--entry", "a.html", "--no-fallback", "--fallback", "a.html")
            try await bundlectl.expect(65, "init", folder, "--entry", "a.html", "--routes", "no slash")
            #expect(try directory.snapshot(of: "shop") == before)
            try await bundlectl.expect(0, "init", folder, "--entry", "a.html")
            let tree = [
                "index.html": "", "assets/index-DormvYxC.js": "", "assets/index-BxZ9dK2f.css": "",
                "assets/vendor-Cq7RtbWn.js": "", "assets/logo-D3kfHw-p.svg": "", "assets/Page-Bw4LmXo8.js": "",
            ]
            let spaced = try directory.write(tree: tree, to: "My App")
            let written = try await bundlectl.expect(0, "init", spaced)
            #expect(written.output.contains("bundlectl pack '\(spaced)' my-app-1.0.0.zip\n"))
            #expect(written.output.contains("names with a hash in /assets/ (5 files): "))
            #expect(written.output.contains("http://my-app.localhost:PORT/"))
            let named = try await bundlectl.expect(0, "init", spaced, "--force", "--name", "my_app-")
            #expect(named.output.contains("http://n--my-uapp-h.localhost:PORT/"))
            let document = try await bundlectl.json("init", spaced, "--force")
            #expect(document["hashedFolders"]?.array?.first?["fileCount"]?.integer == 5)
        }
    }

    @Test func `install takes a folder as the archive that pack makes of it`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let temporary = directory.path(of: "temporary")
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
            let folder = try directory.write(tree: Self.build.merging([".git/HEAD": "x"]) { $1 }, to: "shop")
            try await bundlectl.expect(65, "install", folder)
            let installed = try await bundlectl.expect(0, "install", folder, "--name", "shop", "--version", "1")
            #expect(installed.output.contains("left out 1 name, hidden or excluded: .git/\n"))
            let result = try await ChildProcess.run(
                Bundlectl.path,
                ["install", folder, "--name", "shop", "--version", "1", "--json"],
                environment: bundlectl.environment.merging(["TMPDIR": temporary]) { $1 }
            )
            #expect(result.output.contains("unchanged") && result.output.contains("leftOut"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
            try await bundlectl.expect(0, "export", "shop", directory.path(of: "out"))
            let names = try Set(TreeSnapshot(of: directory.path(of: "out")).files.keys)
            #expect(names == ["index.html", "assets/app.js", "assets/app.css", "bundle.json"])
            try directory.write("x", to: "shop/.env")
            for verb in ["install", "serve"] {
                let refused = try await bundlectl.run([verb, folder]).errorOutput
                #expect(refused.contains(".env looks like a secret; leave out what is one with a line in "))
            }
        }
    }

    @Test func `pack writes another version into the archive, and leaves the folder as it is`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let manifest = #"{"name": "shop", "origins": []}"#
            let folder = try directory.write(tree: Self.build.merging(["bundle.json": manifest]) { $1 }, to: "shop")
            let archive = directory.path(of: "shop.zip")
            try await bundlectl.expect(65, "pack", folder, archive)
            let packed = try await bundlectl.json("pack", folder, archive, "--version", "3.1.0", "--name", "kiosk")
            #expect(packed["version"]?.string == "3.1.0" && packed["name"]?.string == "kiosk")
            #expect(try directory.read("shop/bundle.json") == Array(manifest.utf8))
            try await bundlectl.expect(0, "install", archive)
            #expect(try await bundlectl.json("show", "kiosk")["version"]?.string == "3.1.0")
            try await bundlectl.expect(64, "pack", folder, archive, "--version", "new")
        }
    }
}
