import BundleStore
import BundleTesting
import Foundation
import Testing

/// The folder of one walk: archives, a feed, and the store in the state before the command.
struct CrashSite: Sendable {
    let directory: TemporaryDirectory
    private let feed: OriginServer?

    init(_ directory: TemporaryDirectory, feed: OriginServer? = nil) throws {
        self.directory = directory
        self.feed = feed
        try FileManager.default.createDirectory(atPath: before, withIntermediateDirectories: false)
    }

    /// The folder with the store in the state before the command.
    var before: String { directory.path(of: "before") }
    var bundlectl: Bundlectl { Bundlectl(store: before + "/store") }

    /// The feed's address: on the server, or in the folder without one.
    var feedURL: String {
        feed.map { "\($0.baseURL)/feed.json" }
            ?? URL(fileURLWithPath: directory.path(of: "releases/feed.json")).absoluteString
    }
    /// The folder of the publisher's keys.
    private var keys: String { directory.path(of: "keys") }

    /// The folder of a copy of the feed.
    var stick: String { directory.path(of: "stick") }

    /// Copies the feed, and has the online key sign the copy.
    func mirror() async throws {
        let releases = directory.path(of: "releases")
        try await bundlectl.expect(0, "mirror", releases, "--to", stick, "--valid", "30d", "--keys", keys)
    }

    /// Makes an archive: `bundle.json`, a page of the version's own, one that all versions share, and the given files.
    func archive(_ version: String, _ files: [String: String] = [:], named suffix: String = "") async throws -> String {
        let origin = #"{"url": "https://m.example.com/shop/", "path": "/"}"#
        let common = [
            "bundle.json": #"{"name": "shop", "version": "\#(version)", "origins": [\#(origin)]}"#,
            "index.html": "<!doctype html><title>\(version)</title>",
            "shared.js": "export const shared = true",
        ]
        let folder = "in-\(version)\(suffix)"
        try directory.write(tree: common.merging(files) { _, new in new }, to: folder)
        let archive = directory.path(of: "shop-\(version)\(suffix).zip")
        try await bundlectl.expect(0, "pack", directory.path(of: folder), archive)
        return archive
    }

    /// Installs versions in this order, and keeps them all.
    func install(_ versions: String...) async throws {
        for version in versions { try await bundlectl.expect(0, "install", archive(version), "--keep", "9") }
    }

    /// Puts a version into the feed.
    func publish(
        _ version: String,
        _ files: [String: String] = [:],
        patches: Int = 0,
        isSigned: Bool = false
    ) async throws {
        let folder = directory.path(of: "releases")
        let publish = ["publish", try await archive(version, files), "--to", folder, "--patches", "\(patches)"]
        let result = try await bundlectl.run(publish + (isSigned ? ["--keys", keys] : []))
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        feed?.serve(OriginFiles(folder: folder))
    }

    /// Makes keys, puts 1.0.0 into a feed that they sign, and installs it from there.
    func installSigned() async throws {
        try await bundlectl.expect(0, "keys", "init", "--in", keys)
        try await publish("1.0.0", isSigned: true)
        let root = try #require(FileManager.default.contents(atPath: keys + "/1.root.json"))
        try await bundlectl.expect(0, "install", feedURL, "--trust", "sha256:\(Digest(of: Array(root)))")
    }

    /// Replaces all keys of the feed.
    func rotateKeys() async throws {
        for role in ["root", "release", "online"] {
            let folder = directory.path(of: "releases")
            try await bundlectl.expect(0, "keys", "rotate", role, "--in", keys, "--feed", folder)
        }
    }

    /// Installs 1.0.0 and puts 1.1.0 into the feed, of which a client of 1.0.0 needn't fetch the whole.
    func publishSuccessor(patches: Int) async throws {
        var generator = SeededGenerator(seed: 1)
        let letters = (0..<60_000).map { _ in UInt8.random(in: 0x20..<0x7F, using: &generator) }
        let files = ["large.js": String(decoding: letters, as: UTF8.self)]
        try await bundlectl.expect(0, "install", archive("1.0.0", files))
        try await publish("1.0.0", files, patches: patches)
        try await publish("1.1.0", files, patches: patches)
        let patch = directory.path(of: "releases/shop-1.1.0.from-1.0.0.patch")
        #expect(FileManager.default.fileExists(atPath: patch) == (patches > 0))
    }

    /// Copies a folder with a store to a separate place.
    func copy(_ folder: String, to name: String) throws -> String {
        let copy = directory.path(of: name)
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        return copy
    }

    func remove(_ name: String) {
        // The files that a power cut would have restored, and the log, are beside the folder.
        for suffix in ["", ".aside", ".log"] {
            try? FileManager.default.removeItem(atPath: directory.path(of: name + suffix))
        }
    }
}
