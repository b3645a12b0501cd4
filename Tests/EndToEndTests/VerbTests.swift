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
    func `install accepts what pack makes, and export restores it`(suffix: String) async throws {
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

    @Test func `list and show report versions and states, in JSON too`() async throws {
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

    @Test func `resolve says which layer and rule serves a URL, and why the others don't`() async throws {
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

    @Test func `activate, rollback, remove and prune do what they report`() async throws {
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
            try bundlectl.flipBit()
            let verify = try await bundlectl("verify")
            #expect(verify.exitCode == 65)
            #expect((verify.output + verify.errorOutput).contains("shop@1.0.0"))
        }
    }

    @Test func `verify --repair takes the correct bytes from an archive or the origin, and reports what is left`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(64, "verify", "--offline")
            // The origin doesn't have the page yet.
            try bundlectl.flipBit()
            let nothing = try await bundlectl.expect(65, "verify", "--repair")
            #expect(nothing.errorOutput.contains("shop@1.0.0 "))
            let archive = try await bundlectl.expect(0, "verify", "--repair", "--from", publisher.archive("1.0.0"))
            #expect(archive.output.contains("repaired shop@1.0.0 "))
            #expect(archive.output.contains(" from \(publisher.archive("1.0.0"))"))

            let folder = publisher.directory.path(of: "files")
            try await bundlectl.expect(0, "export", "shop", folder)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                try FileManager.default.moveItem(atPath: "\(folder)/\(name)", toPath: "\(publisher.site)/shop/\(name)")
            }
            try bundlectl.flipBit()
            try await bundlectl.expect(65, "verify", "--repair", "--offline")
            let origin = try await bundlectl.expect(0, "verify", "--repair")
            #expect(origin.output.contains(" from \(publisher.origin)/shop/"))
            #expect(origin.errorOutput == "")
            try await bundlectl.expect(0, "verify")
        }
    }

    @Test func `cache list and clear show and remove responses from the network`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                #expect(try await Curl.get("\(address)/shop/api/stock.json").status == 200)
                try await bundlectl.waitUntilCached("api/stock.json")
                #expect(try await bundlectl("cache", "list", "shop").output.contains("api/stock.json"))
                try await bundlectl.expect(64, "cache", "list", "other")
                try await bundlectl.expect(64, "cache", "clear", "other")
                #expect(try await bundlectl("cache", "list").output.contains("api/stock.json"))
                try await bundlectl.expect(0, "cache", "clear", "shop")
                #expect(try await !bundlectl("cache", "list").output.contains("api/stock.json"))
                // The server sees it within a second.
                for _ in 0..<500 where publisher.requestedPaths.count < 2 {
                    #expect(try await Curl.get("\(address)/shop/api/stock.json").status == 200)
                }
                #expect(publisher.requestedPaths.count == 2)
            }
        }
    }

    @Test func `an archive without a manifest requires a name, a version and an origin`() async throws {
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

    @Test func `an archive of one folder without a manifest is installed with a warning, and show names no page`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            try directory.write(tree: ["dist/index.html": "<!doctype html>", "dist/app.js": ""], to: "plain")
            let archive = directory.path(of: "plain.zip")
            let packed = try await ChildProcess.run(
                "bsdtar",
                ["-acf", archive, "-C", directory.path(of: "plain"), "dist"]
            )
            #expect(packed.exitCode == 0)
            let install = try await bundlectl.expect(0, "install", archive, "--name", "plain", "--version", "3")
            #expect(install.errorOutput.contains("its pages open below /dist/"))
            #expect(try await bundlectl.json("show", "plain")["entry"] == nil)
            #expect(try await !bundlectl.expect(0, "show", "plain").output.contains("entry"))
        }
    }

    @Test func `help goes to standard output, and lists the exit statuses`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            for arguments in [["--help"], ["help"], []] {
                let help = try await bundlectl.run(arguments)
                #expect((help.exitCode, help.errorOutput) == (0, ""))
                #expect(help.output.contains("143 interrupted by SIGTERM"))
            }
            let help = try await bundlectl("cache", "list", "--help")
            #expect(help.exitCode == 0)
            #expect(help.output.contains("bundlectl cache list"))
        }
    }

    @Test func `a zip made by Finder is installed without the files that Finder added`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let manifest = #"{"name": "shop", "version": "1.0.0", "origins": []}"#
            try directory.write(
                tree: ["shop/bundle.json": manifest, "shop/.DS_Store": "x", "__MACOSX/shop/._bundle.json": "x"],
                to: "finder"
            )
            let archive = directory.path(of: "finder.zip")
            let zipped = try await ChildProcess.run(
                "bsdtar",
                ["-acf", archive, "-C", directory.path(of: "finder"), "shop", "__MACOSX"]
            )
            #expect(zipped.exitCode == 0)
            let install = try await bundlectl.expect(0, "install", archive)
            #expect(install.output.contains("1 file,"))
            #expect(install.errorOutput.contains("warning: \(archive): 2 files that macOS added were left out"))
        }
    }

    @Test func `show --files lists the files, and export takes a version`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            #expect(try await !bundlectl("show", "shop").output.contains("text/html"))
            #expect(try await bundlectl("show", "shop", "--files").output.contains("text/html; charset=utf-8"))
            let folder = publisher.directory.path(of: "out")
            try await bundlectl.expect(0, "export", "shop@1.0.0", folder)
            let page = try String(contentsOfFile: folder + "/index.html", encoding: .utf8)
            #expect(page.contains("<strong data-version>1.0.0</strong>"))
        }
    }

    @Test func `resolve --navigation resolves as for a browser that opens a page`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let url = "\(publisher.origin)/shop/products/7"
            let page = try await bundlectl.json("resolve", url, "--navigation")
            #expect(page["response"]?.string == "route")
            let part = try await bundlectl.json("resolve", url)
            #expect(part["response"]?.string != "route")
            let offline = try await bundlectl.json("resolve", url, "--offline")
            #expect(offline["response"] == nil)
        }
    }

    @Test func `with --quiet no verb prints anything when it succeeds`() async throws {
        try await withPublisher { publisher, bundlectl in
            let packed = publisher.directory.path(of: "packed.zip")
            let verbs = [
                ["pack", Project.path("bundles/shop/1.0.0"), packed],
                ["publish", publisher.archive("1.0.0"), "--to", publisher.site + "/releases"],
                ["install", publisher.archive("1.0.0")], ["list"], ["show", "shop", "--files"],
                ["resolve", "\(publisher.origin)/shop/"], ["check"],
                ["publish", publisher.archive("1.1.0"), "--to", publisher.site + "/releases"], ["update"],
                ["rollback", "shop"], ["activate", "shop@1.1.0"], ["pin", "shop@1.0.0"], ["unpin", "shop@1.0.0"],
                ["quota", "1GB"], ["quota"], ["installation"], ["verify"],
                ["export", "shop", publisher.directory.path(of: "out")], ["cache", "list"], ["cache", "clear"],
                ["remove", "shop@1.0.0"], ["prune"],
            ]
            for verb in verbs {
                let result = try await bundlectl.run(verb + ["--quiet"])
                #expect((result.exitCode, result.output, result.errorOutput) == (0, "", ""), "\(verb)")
            }
        }
    }

    @Test(arguments: Mistake.all)
    func `a mistake gives one line and a documented exit status`(mistake: Mistake) async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let archive = directory.path(of: "shop.zip")
            let packed = try await bundlectl("pack", Project.path("bundles/shop/1.0.0"), archive)
            #expect(packed.exitCode == 0)
            let arguments = mistake.arguments.map { $0 == "ARCHIVE" ? archive : $0 }
            let result = try await ChildProcess.run(Bundlectl.path, arguments, environment: bundlectl.environment)
            #expect(result.exitCode == mistake.status, "\(result.errorOutput)")
            #expect(result.output == "")
            #expect(result.errorOutput.split(separator: "\n").count == 1)
            #expect(result.errorOutput.hasPrefix("bundlectl: "))
        }
    }

    @Test func `a verb reports a bundle as busy while another process works on it, or waits`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let store = try BundleStore(at: bundlectl.store)
            var lock: UpdateLock? = try store.lockUpdate(of: BundleName("shop"))
            try await bundlectl.expect(75, "update", "shop")
            #expect(lock != nil)
            try await publisher.publish("1.1.0", with: bundlectl)
            let arguments = ["update", "shop", "--wait"]
            try await withChildProcess(Bundlectl.path, arguments, environment: bundlectl.environment) { update in
                lock = nil
                let result = try await update.wait()
                #expect(result.exitCode == 0)
                #expect(result.output.contains("1.1.0"))
            }
        }
    }
}
