import BundleEmbedding
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@Suite("The end of a client")
struct LifetimeTests {
    @Test("ends loads that wait for an origin, and sequences; later calls fail in the same way")
    func closing() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let client = fixture.client
            let latch = Latch()
            fixture.network.response("\(ClientFixture.origin)slow") { _ in
                try await latch.wait()
                return OriginResponse(.ok, [:], "late")
            }
            let held = try #require(client.resolve("\(ClientFixture.origin)app.js"))
            var activations = client.activations.makeAsyncIterator()
            let load = Task { try await client.load("\(ClientFixture.origin)slow") }
            let response = Task { await client.respond(to: ClientFixture.request("\(ClientFixture.origin)slow")) }
            try await latch.waitForArrivals()
            client.close()
            client.close()
            var error = await #expect(throws: BundleError.self) { try await load.value }
            #expect(error?.code == .storeUnavailable)
            #expect(await response.value.head.status == .serviceUnavailable)
            #expect(await activations.next() == nil)
            #expect(String(decoding: held.contents.array, as: UTF8.self) == "script")
            #expect(client.resolve("\(ClientFixture.origin)app.js") == nil)
            error = await #expect(throws: BundleError.self) { try await client.load(ClientFixture.origin) }
            #expect(error?.code == .storeUnavailable)
            error = await #expect(throws: BundleError.self) { try await client.update(ClientFixture.name) }
            #expect(error?.code == .storeUnavailable)
            #expect(
                await client.respond(to: ClientFixture.request(ClientFixture.origin)).head.status == .serviceUnavailable
            )
        }
    }

    @Test("ends a body that is being read")
    func body() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory)
            let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
            // The last chunk is held back until it is known to be one of an intact body.
            for chunk: [UInt8] in [[1], [2]] { source.yield(chunk) }
            fixture.network.response("\(ClientFixture.origin)long") { _ in
                OriginResponse(head: .init(status: .ok), body: BodyStream(chunks))
            }
            guard case .streaming(_, let body, _) = try await fixture.client.load("\(ClientFixture.origin)long") else {
                Issue.record("the body has arrived as a whole")
                return
            }
            var iterator = body.makeAsyncIterator()
            #expect(try await iterator.next() == [1])
            fixture.client.close()
            let error = await #expect(throws: BundleError.self) { try await iterator.next() }
            #expect(error?.code == .storeUnavailable)
        }
    }

    @Test("a body keeps the client that nobody else holds any more")
    func released() async throws {
        try await withTemporaryDirectory { directory in
            let network = ScriptedTransport()
            let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
            network.response("\(ClientFixture.origin)long") { _ in
                OriginResponse(head: .init(status: .ok), body: BodyStream(chunks))
            }
            func begin() async throws -> ServedResponse {
                try await ClientFixture(in: directory, network: network).client.load("\(ClientFixture.origin)long")
            }
            let response = try await begin()
            source.yield([1])
            source.finish()
            #expect(try await response.bytes() == [1])
        }
    }
}
