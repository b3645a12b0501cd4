import BundleEmbedding
import BundleNetwork
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@Suite("What an app does for the health of its releases")
struct HealthTests {
    /// Opens the store once more, as the next start of the app does.
    private func restart(_ fixture: ClientFixture) throws -> BundleClient {
        try BundleClient(at: fixture.directory.path(of: "store"), transport: nil)
    }

    private func active(_ client: BundleClient) -> String? {
        client.store.snapshot.bundles[ClientFixture.name]?.activeVersion?.string
    }

    /// Installs a release that has to be confirmed in an hour or two starts.
    private func installOnProbation(_ fixture: ClientFixture) throws {
        let manifest = try BundleManifest.sample(
            "shop",
            "1.1.0",
            #""origins": [{"url": "\#(ClientFixture.origin)", "path": "/"}], "health": {"within": "1h", "starts": 2}"#
        )
        try fixture.client.store.install(manifest, files: ["index.html": "1.1.0"])
        fixture.client.refresh()
    }

    @Test("a release that is never confirmed goes back after the starts in which a page of it was opened")
    func starts() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            try installOnProbation(fixture)
            for start in 1...2 {
                #expect(try active(restart(fixture)) == "1.1.0", "no page of it is opened")
                let client = try restart(fixture)
                #expect(active(client) == "1.1.0")
                _ = try await client.load(ClientFixture.origin, isPage: true)
                // It is recorded behind the response.
                func count() throws -> Int? {
                    try client.store.refresh()
                    return client.store.snapshot.bundles[ClientFixture.name]?.lifecycle.probation?.startCount
                }
                try await eventually { try count() == start }
                #expect(try count() == start)
            }
            #expect(try active(restart(fixture)) == "1.0.0")
            let history = try await fixture.client.history(of: ClientFixture.name)
            #expect(history.map(\.kind).suffix(2) == [.markedBad, .rolledBack])
        }
    }

    @Test("a page that the web view has kept counts when it is validated, and a prefetched one doesn't")
    func validated() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            try installOnProbation(fixture)
            let client = fixture.client
            func isLoaded() throws -> Bool {
                try client.store.refresh()
                return client.store.snapshot.bundles[ClientFixture.name]?.lifecycle.probation?.startCount == 1
            }
            var request = ClientFixture.request(ClientFixture.origin)
            request.headerFields[.secFetchDest] = "document"
            request.headerFields[.secPurpose] = "prefetch"
            guard case .complete(let page, _, _) = client.startResponse(to: request) else {
                throw BundleError(.invalidArgument, "waits")
            }
            request.headerFields[.secPurpose] = nil
            request.headerFields[.ifNoneMatch] = page.head.headerFields[.eTag]
            guard case .complete(let same, _, _) = client.startResponse(to: request) else {
                throw BundleError(.invalidArgument, "waits")
            }
            #expect(same.head.status == .notModified)
            try await eventually { try isLoaded() }
            #expect(try isLoaded())
        }
    }

    @Test("a confirmed one stays")
    func confirmed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            try installOnProbation(fixture)
            #expect(try await fixture.client.confirm(ClientFixture.name, version: "1.1.0"))
            #expect(try await !fixture.client.confirm(ClientFixture.name))
            await #expect(throws: BundleError.self) {
                try await fixture.client.confirm(ClientFixture.name, version: "1.0.0")
            }
            for _ in 1...4 { #expect(try active(restart(fixture)) == "1.1.0") }
        }
    }

    @Test("one that the app finds bad goes back at once")
    func bad() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            try installOnProbation(fixture)
            let bad = try await fixture.client.markBad(ClientFixture.name, version: "1.1.0", reason: "it stays white")
            #expect(bad.active == "1.0.0")
            #expect(try await fixture.load(ClientFixture.origin) == "200 active page")
        }
    }

    @Test("the time of a release begins with the load of a page, and with nothing else")
    func load() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            try installOnProbation(fixture)
            func loadedAt() throws -> Date? {
                try fixture.client.store.refresh()
                return fixture.client.store.snapshot.bundles[ClientFixture.name]?.lifecycle.probation?.loadedAt
            }
            _ = try await fixture.load(ClientFixture.origin)
            #expect(try loadedAt() == nil)
            _ = try await fixture.load(ClientFixture.origin, isPage: true)
            // It is recorded behind the response.
            try await eventually { try loadedAt() != nil }
            #expect(try loadedAt() != nil)
        }
    }

    @Test("an update that waits becomes active at the next start", arguments: [ActivationMode.nextStart, .whenIdle])
    func nextStart(_ mode: ActivationMode) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory) { $0.updates.activation = mode }
            try fixture.publish("1.1.0")
            guard case .pending = try await fixture.client.update(ClientFixture.name) else {
                Issue.record("it doesn't wait")
                return
            }
            #expect(active(fixture.client) == "1.0.0")
            #expect(try active(restart(fixture)) == "1.1.0")
            fixture.client.refresh()
            #expect(active(fixture.client) == "1.1.0")
        }
    }

    @Test("an earlier release that is revoked responds to nobody, from the next look for changes on")
    func revoked() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            try fixture.install("0.9.0", files: ["index.html": "old", "old.js": "old"])
            try fixture.install("1.1.0", files: ["index.html": "new"])
            let url = ClientFixture.origin + "old.js"
            #expect(fixture.client.resolve(url) != nil)
            #expect(try await fixture.load(url) == "200 retained old")
            let withdrawal = Withdrawal(of: "0.9.0", .revoked, since: Date(timeIntervalSince1970: 0))
            try BundleStore(at: directory.path(of: "store")).setWithdrawals([withdrawal], of: ClientFixture.name)
            fixture.client.refresh()
            #expect(fixture.client.resolve(url) == nil)
            fixture.network.response(url, .ok, [:], "network")
            #expect(try await fixture.load(url) == "200 network network")
        }
    }

    @Test("an archive that failed is fetched again after a retry")
    func retry() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let digest = Digest(of: [1])
            try fixture.client.store.recordFailure(of: ClientFixture.name, "1.1.0", digest, reason: "bad")
            try await fixture.client.retry(ClientFixture.name)
            #expect(try fixture.client.store.failedReleases(of: ClientFixture.name) == [])
        }
    }

    @Test("the release that is shipped with the app is the last resort")
    func seed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: nil)
            try await fixture.client.seed(archive: fixture.archive("1.0.0"))
            try installOnProbation(fixture)
            try fixture.client.store.prune(keeping: 0)
            let bad = try await fixture.client.markBad(ClientFixture.name, version: "1.1.0", reason: "it stays white")
            #expect(bad.active == "1.0.0")
        }
    }
}
