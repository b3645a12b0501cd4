import BundleEmbedding
import BundleStore
import BundleTesting
import Testing

@Suite("The end of a client")
struct ReleaseTests {
    @Test("releases the store, after each kind of request", arguments: ["", "app.js", "none"])
    func releasesStore(path: String) async throws {
        try await withTemporaryDirectory { directory in
            weak var store: BundleStore?
            do {
                let fixture = try ClientFixture(in: directory, isOffline: true)
                store = fixture.client.store
                let request = ClientFixture.request(ClientFixture.origin + path)
                _ = await fixture.client.respond(to: request)
                _ = try await fixture.client.load(ClientFixture.origin + path)
                fixture.client.close()
            }
            // What runs on other threads ends soon.
            try await eventually("the release of the store") { store == nil }
        }
    }
}
