import BundleStore
import BundleTesting
import Testing

@testable import BundleServing

@Suite("The pattern that a file shares with its other versions")
struct VersionPatternTests {
    @Test("is its folder, and its name except for the hash")
    func pattern() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path, creating: true)
            let long = String(repeating: "long enough ", count: 100)
            try store.install(
                .sample(),
                files: [
                    "a/b/app.4f3a9c21.js": long, "app.4f3a9c22.js": long + "2", "plain.js": long, "x.4f3a9c21.js": "x",
                ],
                mediaType: { _, _ in "text/javascript" }
            )
            let release = try #require(store.snapshot.sortedBundles.first?.active)
            let patterns = Dictionary(uniqueKeysWithValues: release.assets.map { ($0.path, $0.versionPattern) })
            #expect(
                patterns == [
                    "a/b/app.4f3a9c21.js": "a/b/app.*.js", "app.4f3a9c22.js": "app.*.js", "plain.js": nil,
                    "x.4f3a9c21.js": nil,
                ]
            )
        }
    }
}
