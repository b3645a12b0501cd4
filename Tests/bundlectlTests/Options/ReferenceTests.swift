import BundleStore
import Testing

@testable import bundlectl

struct ReferenceTests {
    @Test(
        "a bundle, or one version of it",
        arguments: [
            ("shop", "shop", nil), ("shop@1.0.0", "shop", "1.0.0"), ("a.b-c@1.0.0-rc.1+b", "a.b-c", "1.0.0-rc.1+b"),
        ]
    )
    func bundle(_ text: String, _ name: String, _ version: String?) {
        let reference = BundleReference(argument: text)
        #expect(reference?.name.string == name)
        #expect(reference?.version?.string == version)
    }

    @Test("anything else is refused", arguments: ["", "@", "@1", "shop@", "shop@x", "Shop", "shop@1@2", "../x"])
    func refused(_ text: String) {
        #expect(BundleReference(argument: text) == nil)
    }

    @Test("a release requires its version")
    func release() {
        #expect(ReleaseName(argument: "shop") == nil)
        #expect(ReleaseName(argument: "shop@3")?.version.string == "3")
    }
}
