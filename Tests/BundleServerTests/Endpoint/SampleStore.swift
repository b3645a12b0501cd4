import BundleInstall
import BundleServing
import BundleStore
import BundleTesting
import Foundation

extension BundleStore {
    /// Installs and activates a release.
    func install(_ manifest: String, _ files: [String: String]) throws {
        try install(manifest, files.mapValues { Array($0.utf8) })
    }

    func install(_ manifest: String, _ files: [String: [UInt8]], activating: Bool = true) throws {
        let manifest = try BundleManifest.parse(Array(manifest.utf8)).manifest
        let ingest = try beginIngest()
        for (path, content) in files {
            try content.withUnsafeBytes { try ingest.append($0) }
            try ingest.endFile(BundlePath(path))
        }
        let mediaType = { (path: BundlePath, content: ByteSlice) in
            MediaType.detect(path, content, overrides: manifest.mediaTypes).string
        }
        _ = try ingest.seal().commit(
            manifest,
            mediaType: mediaType,
            marking: .hashedNames,
            activating: activating,
            replacing: false,
            waits: true
        )
    }

    /// A small shop, mapped to `https://m.example.com/shop/` or to another origin.
    func installShop(
        _ version: String = "1.0.0",
        origin: String = "https://m.example.com/shop/",
        feed: String? = nil,
        script: String = "run()"
    ) throws {
        let feed = feed.map { #", "feed": "\#($0)""# } ?? ""
        try install(
            """
            {"name": "shop", "version": "\(version)", "origins": [{"url": "\(origin)", "path": "/"}],
             "offlinePage": "offline.html"\(feed)}
            """,
            [
                "index.html": "<!doctype html><title>shop</title>", "app.js": script, "folder/index.html": "<p>inside",
                "offline.html": "<p>You are offline.",
            ]
        )
    }
}

extension BundleStore {
    /// A bundle `big` with one file, `big.bin`.
    func installBig(_ content: [UInt8], _ version: String) throws {
        try install(#"{"name": "big", "version": "\#(version)", "origins": []}"#, ["big.bin": content])
    }
}

/// Makes a store in a folder of its own, passes it to `body`, and removes it.
func withStore<Result>(
    now: @escaping @Sendable () -> Date = { Date() },
    _ body: (BundleStore) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory { folder in
        try await body(try BundleStore(at: folder.path(of: "store"), creating: true, now: now))
    }
}
