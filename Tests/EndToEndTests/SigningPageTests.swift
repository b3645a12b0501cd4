import BundleStore
import BundleTesting
import Foundation
import Testing

/// The page “Signing”, line by line, with a device.
struct SigningPageTests {
    private static let feed = "/shop/feed.json"

    @Test func `its lines sign a release and replace keys, and bring a device back from a thief of two keys`()
        async throws
    {
        let lines = try Self.lines()
        // The steps after a theft.
        let theft = try #require(lines.firstIndex { $0.hasPrefix("rm -r ") })
        try await withTemporaryDirectory { directory in
            let site = try directory.write(tree: [".keep": ""], to: "public")
            try await withOriginServer(files: OriginFiles(folder: site)) { origin in
                let device = Bundlectl(store: directory.path(of: "store"))
                let shell = ReadmeShell(app: directory.path, site: site, origin: origin.baseURL, store: device.store)
                for version in ["1.1.0", "1.2.0", "1.3.0", "1.4.0"] { try await device.pack(version, in: directory) }
                for line in lines[..<theft] { try await shell.run(adapted(line, directory)) }
                #expect(try await device.active == "1.1.0")

                try await shell.run("cp -a keys thief")
                try await shell.run("find thief -name 'root-*' -delete")
                let stolen = "bundlectl publish shop-1.3.0.zip --to public/shop --keys thief"
                try await shell.run(stolen.replacing("1.3.0", with: "1.2.0"))
                try await shell.run("cp -a public backup")
                try await shell.run(stolen)
                try await device.expect(0, "update", "shop")
                #expect(try await device.active == "1.3.0")

                for line in lines[theft...] { try await shell.run(adapted(line, directory)) }
                try await device.expect(0, "update", "shop")
                #expect(try await device.active == "1.4.0")
                let other = Bundlectl(store: directory.path(of: "other"))
                let anchor = try adapted("sha256:DIGEST", directory)
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
            }
        }
    }

    private func adapted(_ line: String, _ directory: TemporaryDirectory) throws -> String {
        guard line.contains("DIGEST") else { return line }
        return line.replacing("DIGEST", with: Digest(of: try directory.read("keys/1.root.json")).hex)
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
