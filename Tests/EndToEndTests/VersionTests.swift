import BundleStore
import BundleTesting
import Testing

struct VersionTests {
    @Test func `the version is one line with the program's name, and a semantic version`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let version = try await bundlectl.expect(0, "--version")
            #expect(version.output == "bundlectl \(ProductVersion.string)\n")
            #expect(ProductVersion.string.split(separator: ".").count == 3)
            #expect(BundleVersion(ProductVersion.string) != nil)
            #expect(try directory.snapshot().entries.isEmpty, "no store is made")
        }
    }
}
