import BundleTesting
import OfflineBundles
import Testing

@testable import HybridShell

@Suite("A page of a release")
struct ReleasePageTests {
    @Test(
        "has status 200, and the release has it",
        arguments: [
            ("https://m.example.com/shop/", 200, "1.0.0", true),
            ("https://m.example.com/shop/index.html?a=b#c", 200, "1.0.0", true),
            ("https://m.example.com/shop/routes/7", 200, "1.0.0", true), ("bundle://shop/", 200, "1.0.0", true),
            ("bundle://shop/index.html", 200, "1.0.0", true), ("bundle://news/", 200, "1.0.0", false),
            ("https://m.example.com/shop/", 404, "1.0.0", false), ("https://m.example.com/shop/", 504, "1.0.0", false),
            ("https://m.example.com/shop/", 0, "1.0.0", false), ("https://m.example.com/shop/", 200, "1.1.0", false),
            ("https://m.example.com/shop/account", 200, "1.0.0", false),
            ("https://m.example.com/news/", 200, "1.0.0", false), ("https://a.example/shop/", 200, "1.0.0", false),
            ("about:blank", 200, "1.0.0", false), ("", 200, "1.0.0", false),
        ] as [(String, Int, String, Bool)]
    )
    func shown(_ url: String, _ status: Int, _ version: String, _ isShown: Bool) async throws {
        try await withTemporaryDirectory { folder in
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            for (name, more) in [
                ("shop", #", "fallback": {"file": "index.html", "routes": ["/routes/*"]}"#), ("news", ""),
            ] {
                let manifest = """
                    {"name": "\(name)", "version": "1.0.0",
                     "origins": [{"url": "https://m.example.com/\(name)/", "path": "/"}]\(more)}
                    """
                let archive = ZipFixture([
                    ZipFixtureEntry("bundle.json", Array(manifest.utf8)),
                    ZipFixtureEntry("index.html", Array("<p>\(name)".utf8)),
                ])
                let path = try folder.write(archive.bytes, to: "\(name).zip")
                _ = try Installer(store).install(archive: path)
            }
            let (name, active) = (BundleName("shop"), try #require(BundleVersion(version)))
            let snapshot = store.snapshot
            #expect(ReleasePage.isShown(url, status: status, of: name, active, in: snapshot) == isShown)
        }
    }
}
