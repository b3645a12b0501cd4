import BundleEmbedding
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@Suite("Updates of an app")
struct UpdatesTests {
    @Test("a higher version in the feed is found, installed and served")
    func update() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            try fixture.publish("1.1.0")
            #expect(try await fixture.client.check(ClientFixture.name).available?.version == "1.1.0")
            #expect(try await fixture.client.checkAll().count == 1)
            guard case .updated(_, let report, _) = try await fixture.client.update(ClientFixture.name) else {
                Issue.record("there was no update")
                return
            }
            #expect(report.version == "1.1.0")
            #expect(try await fixture.load(ClientFixture.origin) == "200 active 1.1.0")
            #expect(try await fixture.client.updateAll().count == 1)
        }
    }

    @Test("without a network, updating is an error that says so")
    func offline() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, isOffline: true)
            let error = await #expect(throws: BundleError.self) { try await fixture.client.update(ClientFixture.name) }
            #expect(error?.code == .networkUnavailable)
        }
    }

    @Test("a cancelled update leaves the version before active")
    func cancellation() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let latch = Latch()
            fixture.network.response(ClientFixture.feed) { _ in
                try await latch.wait()
                return OriginResponse(.ok, [:], "")
            }
            let task = Task { try await fixture.client.update(ClientFixture.name) }
            try await latch.waitForArrivals()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await fixture.load(ClientFixture.origin) == "200 active page")
        }
    }
}
