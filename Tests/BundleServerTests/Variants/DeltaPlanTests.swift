import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

@Suite("DeltaPlan")
struct DeltaPlanTests {
    private static let long = String(repeating: "function add(a, b) { return a + b }\n", count: 50)

    @Test("each renamed file is paired with the one of the version before")
    func pairs() async throws {
        try await withStore { store in
            try store.install(
                #"{"name": "shop", "version": "1.0.0", "origins": []}"#,
                [
                    "a/app.4f3a9c21.js": Self.long + "1", "a/kept.4f3a9c21.js": Self.long + "kept",
                    "plain.js": Self.long, "gone.4f3a9c21.js": Self.long + "gone",
                    // Two that differ only in the hash.
                    "4f3a9c21.js": Self.long + "x", "5f3a9c21.js": Self.long + "y",
                ]
            )
            #expect(DeltaPlan.pairs(in: store.snapshot).isEmpty)
            try store.install(
                #"{"name": "shop", "version": "1.1.0", "origins": []}"#,
                [
                    "a/app.5a4b0d32.js": Self.long + "2", "a/kept.4f3a9c21.js": Self.long + "kept",
                    "plain.js": Self.long + "2", "new.4f3a9c21.js": Self.long + "new", "6f3a9c21.js": Self.long + "z",
                    "b/app.5a4b0d32.js": Self.long + "elsewhere",
                ]
            )
            let pairs = DeltaPlan.pairs(in: store.snapshot)
            #expect(pairs.map { [$0.dictionary.path, $0.asset.path] } == [["a/app.4f3a9c21.js", "a/app.5a4b0d32.js"]])
        }
    }
}
