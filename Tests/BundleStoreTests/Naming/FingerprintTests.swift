import Testing

@testable import BundleStore

@Suite("Fingerprinted names, in releases of earlier programs")
struct FingerprintTests {
    @Test(
        "a bundler's content hash is one",
        arguments: [
            "app.4f3a9c21.js", "app-4f3a9c21.min.js", "app.4f3a9c21.js.map", "main.7c1a2b3d9e0f4a5b6c7d.css",
            "4f3a9c21.js", "chunk~4f3a9c21.js", "logo_4f3a9c21.svg", "index-BxZ9dK2f.js", "index-legacy-BxZ9dK2f.js",
            "vendor-a_B3-x9Q.js", "jlab_core.9f3b7ac14d1e6a0c2f55.js", "search.6ce7567c.min.js",
        ]
    )
    func fingerprint(name: String) {
        #expect(Fingerprint.hash(in: Array(name.utf8)) != nil)
    }

    @Test(
        "a name that stays when its content changes has none",
        arguments: [
            "index.html", "app.js", "jquery-3.6.0.min.js", "report-20261120.pdf", "report-20261120a.pdf",
            "scan-2026112001.png", "MainPage2.js", "version2.js", "font-Version2.woff2", "font-MyPage12.woff2",
            "photo-facade20.jpg", "deadbeef.js", "abcdefab.js", "app.4f3a9c2.js", "index-bxzadkaf.js",
            "index-BXZADKAF.js",
            "index.BxZ9dK2f.js", "BxZ9dK2f.js", "index-BxZ9dK2fg.js", "app.4F3A9C21.js", "4f3a9c21", ".4f3a9c21", "",
            ".",
        ]
    )
    func noFingerprint(name: String) {
        #expect(Fingerprint.hash(in: Array(name.utf8)) == nil)
    }
}
