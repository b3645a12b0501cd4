import BundleServing
import BundleStore
import BundleTesting
import Testing

@Suite("The live resolver")
struct LiveResolverTests {
    @Test("detects another process's installation when it checks; an earlier resolver keeps its results")
    func refresh() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install("shop", "1.0.0", files: ["index.html"])
            let reader = LiveResolver(try BundleStore(at: directory.path))
            let earlier = reader.current
            #expect(try !reader.refresh())
            try fixture.install("shop", "1.1.0", files: ["index.html"])
            let url = "https://m.example.com/shop/"
            #expect(reader.current.resolve(url)?.asset.release.version.string == "1.0.0")
            #expect(try reader.refresh())
            #expect(try !reader.refresh())
            #expect(reader.current.resolve(url)?.asset.release.version.string == "1.1.0")
            #expect(earlier.resolve(url)?.contents.array == Array("1.0.0 index.html".utf8))
        }
    }

    @Test("detects a change by its own store in the same way")
    func ownChange() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            let reader = LiveResolver(
                fixture.store,
                addresses: BundleAddresses(mounts: [Mount("shop=/")].compactMap(\.self))
            )
            try fixture.install(files: ["index.html"])
            #expect(reader.current.outcome("/", host: nil) == nil)
            #expect(try reader.refresh())
            #expect(reader.current.outcome("/", host: nil) == "index.html")
        }
    }
}
