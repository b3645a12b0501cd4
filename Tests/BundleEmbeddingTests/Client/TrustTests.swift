import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("The root that an app has")
struct TrustTests {
    private static let file = URL(
        fileURLWithPath: Project.path("Tests/BundleTrustTests/PythonRepository/1.root.json")
    )
    private static let other = String(repeating: "0a", count: 32)

    private func fixture(
        in directory: TemporaryDirectory,
        local: String? = nil,
        _ root: PublisherRoot?
    ) throws -> ClientFixture {
        let fixture = try ClientFixture(in: directory, local: local) { $0.updates.roots[ClientFixture.name] = root }
        // Nobody has signed the feed.
        for name in ["2.root.json", "timestamp.json"] {
            fixture.network.response("https://get.example.com/shop/\(name)", .notFound, [:], "")
        }
        return fixture
    }

    @Test("is trusted from the client's opening on, for a bundle that comes with the app too")
    func shipped() async throws {
        try await withTemporaryDirectory { directory in
            let root = try PublisherRoot(contentsOf: Self.file)
            let fixture = try fixture(in: directory, local: "1.0.0", root)
            let trust = try #require(try await fixture.client.trust(of: ClientFixture.name))
            #expect(trust.root == root.sha256)
            #expect(!trust.isPinned)
            #expect(trust.roles.first?.name == "root")
            #expect(try await fixture.client.trust(of: "news") == nil)
            try fixture.publish("1.1.0")
            let error = await #expect(throws: BundleError.self) {
                try await fixture.client.update(ClientFixture.name)
            }
            #expect(error?.code == .untrusted)
            let feed = try #require(URL(string: ClientFixture.feed))
            let refused = await #expect(throws: BundleError.self) { try await fixture.client.install(feed: feed) }
            #expect(refused?.code == .untrusted)
            #expect(try await fixture.load(ClientFixture.origin) == "200 active page")
            #expect(try fixture.client.store.bundle(ClientFixture.name).signedBy == nil)
        }
    }

    @Test(
        "is refused while another one is trusted, and takes its place once the app ends that",
        arguments: [true, false]
    )
    func replaced(isDigest: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let name = ClientFixture.name
            let earlier = Digest(of: [1])
            let first = try fixture(in: directory, local: "1.0.0", nil)
            let document = TrustedDocument(TrustedDocument.root, version: 1, [1])
            try first.client.store.trust(name, by: earlier, isPinned: true, [document])
            first.client.close()

            let root = try isDigest ? PublisherRoot(sha256: Self.other) : PublisherRoot(contentsOf: Self.file)
            let fixture = try fixture(in: directory, root)
            try fixture.publish("1.1.0")
            let error = await #expect(throws: BundleError.self) { try await fixture.client.update(name) }
            #expect(error?.code == .untrusted)
            #expect(error?.remedy == .endTrust(name))
            #expect(try await fixture.load(ClientFixture.origin) == "200 active page")
            #expect(try await fixture.client.removeTrust(of: name))
            #expect(try await fixture.client.trust(of: name)?.root == (isDigest ? nil : root.sha256))
            #expect(try await fixture.client.removeTrust(of: name) == !isDigest)
            #expect(try await fixture.load(ClientFixture.origin) == "200 active page")
        }
    }

    @Test("isn't needed: without one, the end of the trust lets the bundle take unsigned feeds again")
    func ended() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory, local: "1.0.0", nil)
            let root = try PublisherRoot(contentsOf: Self.file)
            #expect(try await !fixture.client.removeTrust(of: ClientFixture.name))
            try fixture.client.store.trust(ClientFixture.name, shipped: root)
            try fixture.publish("1.1.0")
            await #expect(throws: BundleError.self) { try await fixture.client.update(ClientFixture.name) }
            #expect(try await fixture.client.removeTrust(of: ClientFixture.name))
            try await fixture.client.update(ClientFixture.name)
            #expect(try await fixture.load(ClientFixture.origin) == "200 active 1.1.0")
        }
    }

    @Test("is asked for until the client is closed")
    func closed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try fixture(in: directory, nil)
            fixture.client.close()
            for call in [
                { _ = try await fixture.client.trust(of: ClientFixture.name) },
                { _ = try await fixture.client.removeTrust(of: ClientFixture.name) },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: BundleError.self) { try await call() }
                #expect(error?.code == .storeUnavailable)
            }
        }
    }
}
