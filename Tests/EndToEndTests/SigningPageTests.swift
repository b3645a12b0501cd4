import BundleStore
import BundleTesting
import Foundation
import Testing

/// The page “Signing”, line by line, with a device.
struct SigningPageTests {
    private static let feed = "/shop/feed.json"

    @Test
    func
        `its lines sign releases and replace keys, bring a device back from a thief of two keys, and have several persons sign`()
        async throws
    {
        let lines = try Self.lines()
        // The steps after a theft, and what follows.
        let theft = try #require(lines.firstIndex { $0.hasPrefix("rm -r ") })
        let keyStore = try #require(lines.firstIndex { $0.hasPrefix("openssl ") })
        try await withTemporaryDirectory { directory in
            let site = try directory.write(tree: [".keep": ""], to: "public")
            try await withOriginServer(files: OriginFiles(folder: site)) { origin in
                let device = Bundlectl(store: directory.path(of: "store"))
                let shell = ReadmeShell(app: directory.path, site: site, origin: origin.baseURL, store: device.store)
                for version in ["1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0"] {
                    try await device.pack(version, in: directory)
                }
                let stick = ReadmeShell(
                    app: directory.path,
                    site: site,
                    origin: "",
                    store: directory.path(of: "offline")
                )
                for line in lines[..<theft] {
                    let device = line.contains("/media/usb") && !line.hasPrefix("bundlectl mirror") ? stick : shell
                    try await device.run(await adapted(line, directory))
                }
                #expect(try await Bundlectl(store: stick.store).active == "1.1.0")
                #expect(try await device.active == "1.1.0")

                try await shell.run("cp -a keys thief")
                try await shell.run("find thief -name 'root-*' -delete")
                let stolen = "bundlectl publish shop-1.3.0.zip --to public/shop --keys thief"
                try await shell.run(stolen.replacing("1.3.0", with: "1.2.0"))
                try await shell.run("cp -a public backup")
                try await shell.run(stolen)
                try await device.expect(0, "update", "shop")
                #expect(try await device.active == "1.3.0")

                for line in lines[theft..<keyStore] { try await shell.run(await adapted(line, directory)) }
                try await device.expect(0, "update", "shop")
                #expect(try await device.active == "1.4.0")
                // The thief's release is the one before, and nothing goes back to it.
                #expect(try await device.run(["rollback", "shop"]).exitCode == 64)
                #expect(try await device.active == "1.4.0")
                let other = Bundlectl(store: directory.path(of: "other"))
                let anchor = try await adapted("sha256:DIGEST", directory)
                try await other.expect(0, "install", origin.baseURL + Self.feed, "--trust", anchor)
                #expect(try await other.active == "1.4.0")
                // The thief's keys are of no use any more, and nothing of the thief is signed.
                let (thief, folder) = (directory.path(of: "thief"), directory.path(of: "public/shop"))
                let archive = directory.path(of: "shop-1.3.0.zip")
                let refused = try await device.run(["publish", archive, "--to", folder, "--keys", thief])
                #expect(refused.exitCode != 0)
                let keys = directory.path(of: "keys")
                let report = try await device.json("keys", "rotate", "online", "--in", keys, "--feed", folder)
                let archives = report["feeds"]?.array?.first?["archives"]?.array?.compactMap { $0["path"]?.string }
                #expect(archives == ["shop-1.1.0.zip", "shop-1.4.0.zip"])

                // A release key in a key store, and root keys of two persons.
                for line in lines[keyStore...] { try await shell.run(await adapted(line, directory)) }
                #expect(try await device.json("keys", "show", "--in", keys)["rootVersion"]?.integer == 8)
                try await device.expect(0, "check", "shop")
                try await shell.run("bundlectl publish shop-1.5.0.zip --to public/shop --keys keys")
                try await device.expect(0, "update", "shop")
                #expect(try await device.active == "1.5.0")
            }
        }
    }

    /// The line with what stands for other things in the page.
    private func adapted(_ line: String, _ directory: TemporaryDirectory) async throws -> String {
        let line = line.replacing("/media/usb", with: directory.path(of: "usb"))
        if line.contains("DIGEST") {
            return line.replacing("DIGEST", with: Digest(of: try directory.read("keys/1.root.json")).hex)
        }
        if line.contains("PUBLIC") {
            let bob = try await Bundlectl(store: "/").json("keys", "show", "--in", directory.path(of: "bob"))
            return line.replacing("PUBLIC", with: try #require(bob["keys"]?.array?.first?["publicKey"]?.string))
        }
        // There is no terminal that asks.
        return line.hasPrefix("bundlectl keys sign ") ? line + " --yes" : line
    }

    /// The lines of the page's blocks, without their comments.
    private static func lines() throws -> [String] {
        let page = try Project.text("Sources/bundlectl/bundlectl.docc/Signing.md")
        return page.components(separatedBy: "```sh\n").dropFirst().flatMap { block in
            block.components(separatedBy: "```")[0].split(separator: "\n").map { line in
                line.components(separatedBy: "  #")[0].trimmingCharacters(in: .whitespaces)
            }
        }.filter { !$0.isEmpty }
    }
}

extension Bundlectl {
    /// Makes an archive of the shop.
    fileprivate func pack(_ version: String, in directory: TemporaryDirectory) async throws {
        let manifest = #"{"name": "shop", "version": "\#(version)", "origins": []}"#
        let folder = try directory.write(tree: ["bundle.json": manifest, "index.html": version], to: "in-\(version)")
        try await expect(0, "pack", folder, directory.path(of: "shop-\(version).zip"))
    }

    fileprivate var active: String? {
        get async throws { try await json("list")["bundles"]?.array?.first?["active"]?.string }
    }
}
