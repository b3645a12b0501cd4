import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("A damaged file in front of a network")
struct DamagedResourceTests {
    @Test("is fetched from the origin, with the correct body")
    func network() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            try SegmentDamage.flip("docs", inStore: directory.path)
            fixture.publish("docs/", "docs from the origin")
            let response = try await fixture.get("docs/")
            #expect((response.status, response.text) == (200, "docs from the origin"))
            #expect(fixture.network.requests.count == 1)
            #expect(try await fixture.get("index.html").text == "entry")
            #expect(fixture.network.requests.count == 1)
        }
    }

    @Test("isn't served when the network is off, and neither is a damaged offline page")
    func offline() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            try SegmentDamage.flip("docs", inStore: directory.path)
            try SegmentDamage.flip("you are offline", inStore: directory.path)
            let response = try await fixture.get("docs/", [.secFetchMode: "navigate"], offline: true)
            #expect(response.status == 500)
            let damage = "shop@1.0.0 docs/index.html is damaged in the store, and the network is switched off"
            #expect(response.text.hasPrefix(damage))
            #expect(!response.text.contains("you are offlin"))
        }
    }

    @Test("is reported with the offline page, which isn't mistaken for the requested file")
    func offlinePage() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            try SegmentDamage.flip("docs", inStore: directory.path)
            let response = try await fixture.get("docs/", [.secFetchMode: "navigate"], offline: true)
            #expect((response.status, response.text) == (500, "you are offline"))
        }
    }

    @Test("that was stored from the network is fetched again, and isn't served without one", arguments: [false, true])
    func keptResponse(_ isOffline: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let kept = String(repeating: "kept", count: 30_000)
            let before = try FallbackFixture(in: directory, maximumByteCount: 200_000)
            before.publish("x", kept)
            #expect(try await before.get("x").text == kept)
            #expect(try before.cachedURLs.count == 1)
            let name = try #require(try directory.snapshot(of: "cache").files.keys.first)
            try directory.write(kept.dropLast(4) + "kepu", to: "cache/" + name)
            let fixture = try FallbackFixture(in: directory)
            fixture.publish("x", "from the origin")
            let response = try await fixture.get("x", offline: isOffline)
            #expect(!response.text.contains("kepu"))
            #expect(response.status == (isOffline ? 504 : 200))
            #expect(try fixture.cachedURLs.count == (isOffline ? 0 : 1))
            if !isOffline { #expect(response.text == "from the origin") }
        }
    }
}
