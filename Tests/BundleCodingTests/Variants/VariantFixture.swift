import BundleTesting
import Testing

@testable import BundleStore

/// Provides a new store in the folder `store` of a temporary folder.
func withStore(_ body: (BundleStore, TemporaryDirectory) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
        try await body(try directory.openStore(), directory)
    }
}

extension TemporaryDirectory {
    /// Opens the store in the folder `store` again, as another process would.
    func openStore() throws -> BundleStore {
        let clock = TestClock()
        return try BundleStore(at: path(of: "store"), creating: true, now: clock.read, clock: clock)
    }

    /// The names of the files in a folder of the store.
    func names(in folder: String) throws -> [String] {
        try snapshot(of: "store/" + folder).entries.keys.sorted()
    }
}

extension BundleStore {
    /// Installs and activates a version of the bundle `shop`.
    func install(_ version: String, _ files: [String: String]) throws {
        let ingest = try beginIngest()
        for (path, content) in files.sorted(by: { $0.key < $1.key }) {
            try Array(content.utf8).withUnsafeBytes { try ingest.append($0) }
            try ingest.endFile(BundlePath(path))
        }
        let manifest = try BundleManifest(
            name: BundleName("shop"),
            version: try #require(BundleVersion(version)),
            origins: []
        )
        _ = try ingest.seal().commit(
            manifest,
            mediaType: { _, _ in "text/javascript" },
            marking: .none,
            activating: true,
            replacing: false,
            waits: false
        )
    }
}
