import BundleInstall
import BundleTesting
import Testing

@Suite("Origins that two bundles claim")
struct OriginClaimsTests {
    private func files(_ name: String, origin: String) -> [String: String] {
        let manifest = #"{"name": "\#(name)", "version": "1", "origins": [{"url": "\#(origin)"}]}"#
        return ["bundle.json": manifest, "index.html": name]
    }

    @Test("are told of, with the bundle that answers, whichever came first", arguments: [["a", "b"], ["b", "a"]])
    func conflict(names: [String]) async throws {
        try await InstallFixture.use { fixture in
            let first = try fixture.install(files(names[0], origin: "https://m.example.com/shop/"))
            #expect(first.warnings == [])
            let second = try fixture.install(files(names[1], origin: "https://M.example.com/shop"))
            #expect(
                second.warnings == [
                    "https://m.example.com/shop/ is an origin of \(names[0]) too; a answers for it"
                ]
            )
        }
    }

    @Test("aren't those below one another, nor a bundle's own earlier ones")
    func noConflict() async throws {
        try await InstallFixture.use { fixture in
            _ = try fixture.install(files("a", origin: "https://m.example.com/"))
            #expect(try fixture.install(files("b", origin: "https://m.example.com/shop/")).warnings == [])
            #expect(try fixture.install(files("a", origin: "https://m.example.com/")).warnings == [])
        }
    }
}
