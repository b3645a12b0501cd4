import BundleTesting
import Foundation
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

    @Test("in an index without marks each name is decided about alone")
    func earlierProgram() async throws {
        try await withStore { store, directory in
            let paths = ["index-BxZ9dK2f.js", "index.BxZ9dK2f.js", "lib-OAuth2v1.js"]
            let files = Dictionary(uniqueKeysWithValues: paths.map { ($0, $0) })
            _ = try store.commit(files, manifest("1.0.0"))
            #expect(try store.release("1.0.0").assets.allSatisfy { $0.immutability == nil })
            let names = try directory.names(in: "indexes")
            for name in names {
                let path = directory.path(of: "store/indexes/\(name)")
                var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                bytes.replaceSubrange(44..<48, with: [0, 0, 0, 0])
                try bytes.write(to: URL(fileURLWithPath: path))
            }
            let earlier = try directory.openStore()
            let found = try earlier.release("1.0.0").assets.filter { $0.immutability == .name }
            #expect(Set(found.map(\.path)) == ["index-BxZ9dK2f.js", "lib-OAuth2v1.js"])
        }
    }
}
