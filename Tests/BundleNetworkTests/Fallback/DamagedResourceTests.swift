import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("A damaged file in front of a network")
struct DamagedResourceTests {
    @Test("is fetched from the origin, with the body that it should have had")
    func network() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            try SegmentDamage.flip("docs", inStore: directory.path)
            fixture.publish("docs/", "docs from the origin")
            let answer = try await fixture.get("docs/")
            #expect((answer.status, answer.text) == (200, "docs from the origin"))
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
            let answer = try await fixture.get("docs/", [.secFetchMode: "navigate"], offline: true)
            #expect(answer.status == 504)
            #expect(!answer.text.contains("you are offlin"))
        }
    }
}
