import BundleStore
import CBundle
import Foundation
import Testing

@testable import BundleCInterface

/// A client of a store with two versions of a bundle.
func withSampleClient(_ body: (OpaquePointer, BundleStore) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try BundleStore(at: folder.path, creating: true)
    for version in ["1.0.0", "1.1.0"] {
        let manifest = try BundleManifest(
            name: BundleName("shop"),
            version: try #require(BundleVersion(version)),
            origins: BundleManifest.parse(Array(sampleManifest.utf8)).manifest.origins
        )
        let ingest = try store.beginIngest()
        for path in ["\(version).js", "index.html"] {
            try Array(version.utf8).withUnsafeBytes { try ingest.append($0) }
            try ingest.endFile(BundlePath(path))
        }
        _ = try ingest.seal().commit(
            manifest,
            mediaType: { _, _ in "text/html" },
            marking: .none,
            activating: true,
            replacing: false,
            waits: true
        )
    }
    let client = try #require(ob_open(folder.path, nil, nil))
    defer { ob_close(client) }
    try body(client, store)
}

private let sampleManifest =
    #"{"name": "shop", "version": "1", "origins": [{"url": "https://shop.example/", "path": "/"}]}"#
