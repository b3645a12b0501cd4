import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("The root that an app has")
struct TrustTests {
    /// A root that `bundlectl keys init` has made, with keys of Ed25519, which are verified everywhere. Its keys are gone.
    private static let document = """
        {"signatures": [{"keyid": "e79a4aa91e30bcf4280193bb8a64e9d04a291334bebbec32326c5b321675db65",
        "sig": "531b76d9738f47121344805ee8e9aadaabf4e05640e6aefad28d6154ba8b4563f10bf6ecb966f0f2c5730d6865524a67f9dd3a0f7a9c290fc81135575a5e5705"}],
        "signed": {"_type": "root", "spec_version": "1.0.34", "version": 1, "expires": "2027-11-29T16:50:56Z", "consistent_snapshot": true,
        "keys": {
        "e79a4aa91e30bcf4280193bb8a64e9d04a291334bebbec32326c5b321675db65":
        {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": "1c9f16206322530adc3c46474e1e2cfad20baffab36f7b1611fc2aec058d731a"}},
        "d8f0883fcd142f5eae7b49811a5df2c9cde7a5f66a5620f7f71268fac470fb95":
        {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": "c3344114a911eec6ecd2081648177a2724252905f10e5f5b0d3be4768b8dea24"}},
        "59590b495333994f8adb09f37e46be28133dcece474165821ec8e837c552cd89":
        {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": "470b7efe8e790642b5c7ad5f117968436d8d99f902ea34520ed07977e0a84a81"}}
        },
        "roles": {
        "root": {"keyids": ["e79a4aa91e30bcf4280193bb8a64e9d04a291334bebbec32326c5b321675db65"], "threshold": 1},
        "targets": {"keyids": ["d8f0883fcd142f5eae7b49811a5df2c9cde7a5f66a5620f7f71268fac470fb95"], "threshold": 1},
        "snapshot": {"keyids": ["59590b495333994f8adb09f37e46be28133dcece474165821ec8e837c552cd89"], "threshold": 1},
        "timestamp": {"keyids": ["59590b495333994f8adb09f37e46be28133dcece474165821ec8e837c552cd89"], "threshold": 1}
        }}}
        """
    private static let other = String(repeating: "0a", count: 32)

    private func root(in directory: TemporaryDirectory) throws -> PublisherRoot {
        let path = try directory.write(Self.document, to: "1.root.json")
        return try PublisherRoot(contentsOf: URL(fileURLWithPath: path))
    }

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
            let root = try root(in: directory)
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
        "is refused while another one is trusted, and takes its place once the app ends the trust in it",
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

            let root = try isDigest ? PublisherRoot(sha256: Self.other) : root(in: directory)
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
            let root = try root(in: directory)
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
