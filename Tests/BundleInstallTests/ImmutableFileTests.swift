import BundleInstall
import BundleStore
import Testing

@Suite("What a manifest declares immutable")
struct ImmutableFileTests {
    private func files(_ version: String, _ patterns: String, app: String) -> [String: String] {
        [
            "bundle.json": #"{"name": "shop", "version": "\#(version)", "origins": [], "immutable": \#(patterns)}"#,
            "assets/app.js": app, "assets/vendor.js": app,
        ]
    }

    @Test("is reported when an installed version has it with other content")
    func warnings() async throws {
        try await InstallFixture.use { fixture in
            let warnings = { (version: String, pattern: String?, app: String) in
                let patterns = pattern.map { "[\"\($0)\"]" } ?? "[]"
                return try fixture.install(self.files(version, patterns, app: app)).warnings
            }
            let unchanged = try warnings("1", "/assets/**", "1") + warnings("2", "/assets/**", "1")
            #expect(unchanged == [])
            let changed = try warnings("3", "/assets/**", "2")
            #expect(
                changed == [
                    "bundle.json: immutable: “assets/app.js” has other content in another installed version, and 1 more; "
                        + "browsers keep what they have for a year; rename what changes, or leave it out of the list"
                ]
            )
            let none = try warnings("5", nil, "3")
            #expect(none == [])
        }
    }
}
