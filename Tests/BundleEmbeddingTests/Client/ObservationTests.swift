import BundleEmbedding
import BundleStore
import BundleTesting
import Testing

@Suite("Observing an app's bundles")
struct ObservationTests {
    @Test("activations by the client and by others are reported once, in their order")
    func activations() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: nil)
            var activations = fixture.client.activations.makeAsyncIterator()
            var second = fixture.client.activations.makeAsyncIterator()
            try await fixture.client.install(archive: fixture.archive("1.0.0"))
            let other = try ClientFixture(in: directory, local: nil)
            try await other.client.install(archive: other.archive("1.1.0"))
            fixture.client.refresh()
            try await fixture.client.rollBack(ClientFixture.name)
            try await fixture.client.remove(ClientFixture.name)
            fixture.client.refresh()
            let versions: [BundleVersion?] = [nil, "1.0.0", "1.1.0", "1.0.0", nil]
            for (previous, version) in zip(versions, versions.dropFirst()) {
                let expected = (previous, version)
                let activation = try #require(await activations.next())
                #expect((activation.previous, activation.version) == expected)
                #expect(await second.next() == activation)
            }
        }
    }

    @Test("an observer sees what another process has activated without asking for it")
    func withoutRequests() async throws {
        try await withTemporaryDirectory { directory in
            let clock = TestClock()
            let fixture = try ClientFixture(in: directory, local: nil, clock: clock)
            var activations = fixture.client.activations.makeAsyncIterator()
            let other = try ClientFixture(in: directory, local: nil)
            try await other.client.install(archive: other.archive("1.0.0"))
            try await clock.step(by: .seconds(1))
            #expect(await activations.next()?.version == "1.0.0")
        }
    }

    @Test("progress of an installation and of an update reaches the call and the sequence")
    func progress() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, local: nil)
            var progress = fixture.client.progress.makeAsyncIterator()
            let path = try fixture.archive("1.0.0")
            try await fixture.client.install(archive: path)
            let installed = try #require(await progress.next())
            #expect(installed.work == .installation(archive: path))
            #expect(installed.bytes.done == installed.bytes.total)
            try fixture.publish("1.1.0")
            try await fixture.client.update(ClientFixture.name)
            #expect(await progress.next()?.work == .update(ClientFixture.name))
        }
    }
}
