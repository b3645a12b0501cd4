import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Testing

/// Another bundle's publisher names the archive of this one by its digest, as if it were its own.
@Suite("Downloads of bundles that name the same file")
struct DownloadIsolationTests {
    private static let feed = "https://evil.example/feed.json"
    private static let evil = BundleName("evil")

    /// A store with `shop` and `evil`, the archive of `shop` 1.1.0, and the URL by which `evil` offers it.
    private func withBundles(
        offering version: String,
        _ body: (UpdaterFixture, _ archive: [UInt8], _ url: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let archive = fixture.publish("1.1.0")
            let members = #""origins": [], "feed": "\#(Self.feed)""#
            try fixture.store.install(try .sample("evil", "1.0.0", members), files: ["a": "a"])
            let url = "https://evil.example/a.zip"
            let entry = UpdaterFixture.entry(version, size: archive.count, digest: Digest(of: archive), source: url)
            fixture.network.response(Self.feed, .ok, [:], UpdaterFixture.feed("evil", [entry]))
            try await body(fixture, archive, url)
        }
    }

    @Test("what one publisher has begun with is never continued for the other")
    func poison() async throws {
        try await withBundles(offering: "2.0.0") { fixture, archive, url in
            fixture.network.response(url) { _ in
                let begun = [[UInt8](repeating: 7, count: 100)]
                return OriginResponse(.ok, [:], begun, failure: OriginResponse.connectionLost)
            }
            await #expect(throws: BundleError.self) { try await fixture.updater.update(Self.evil) }
            #expect(await fixture.failure() == nil)
            #expect(fixture.network.requests.last?.headerFields[.range] == nil)
            #expect(fixture.page == "1.1.0")
        }
    }

    @Test("a publisher who drips delays only their own bundle")
    func drip() async throws {
        try await withBundles(offering: "2.0.0") { fixture, archive, url in
            let (never, asked) = (Latch(), Monitor(false))
            fixture.network.response(url) { _ in
                let chunks = AsyncThrowingStream<[UInt8], any Error> {
                    asked.update { $0 = true }
                    try await never.wait()
                    return nil
                }
                return OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(chunks))
            }
            let updater = fixture.updater
            let dripping = Task { try await updater.update(Self.evil) }
            try await asked.wait { $0 ? () : nil }
            #expect(await fixture.failure() == nil)
            #expect(fixture.page == "1.1.0")
            dripping.cancel()
            _ = await dripping.result
        }
    }

    @Test("a publisher who claims to have installed it doesn't remove what has been fetched for the other")
    func removal() async throws {
        try await withBundles(offering: "1.0.0") { fixture, archive, _ in
            let path = fixture.downloadPath(for: Digest(of: archive))
            try Data(archive.prefix(100)).write(to: URL(fileURLWithPath: path))
            _ = try await fixture.updater.update(Self.evil)
            #expect(await fixture.failure() == nil)
            #expect(fixture.network.requests.last?.headerFields[.range] == "bytes=100-")
        }
    }
}
