import BundleEmbedding
import BundleTesting
import HTTPTypes
import Testing

@Suite("The link of an app")
struct LinkTests {
    private static let url = "\(ClientFixture.origin)api"

    @Test("without a link stored responses are sent at once and no origin is asked, until it is back")
    func downAndUp() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, clock: TestClock())
            fixture.network.response(Self.url, .ok, [.cacheControl: "max-age=0", .eTag: #""1""#], "old")
            #expect(try await fixture.load(Self.url) == "200 network old")
            fixture.client.link.isUp = false
            #expect(try await fixture.load(Self.url) == "200 stale old")
            #expect(try await fixture.load("\(ClientFixture.origin)other").hasPrefix("504 miss "))
            #expect(fixture.network.requests.count == 1)
            fixture.network.response(Self.url, .ok, [:], "new")
            fixture.client.link.isUp = true
            #expect(try await fixture.load(Self.url) == "200 network new")
        }
    }

    @Test("an origin that was out is asked at once when the link is back")
    func breaker() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ClientFixture(in: directory, clock: TestClock())
            fixture.network.response(Self.url, .ok, [.cacheControl: "max-age=0"], "old")
            _ = try await fixture.load(Self.url)
            fixture.network.isDown = true
            #expect(try await fixture.load(Self.url) == "200 stale old")
            #expect(fixture.client.originStates.map { $0.outSince != nil } == [true])
            fixture.client.link.isUp = false
            fixture.network.isDown = false
            fixture.network.response(Self.url, .ok, [:], "new")
            fixture.client.link.isUp = true
            #expect(fixture.client.originStates.map { $0.outSince != nil } == [false])
            #expect(try await fixture.load(Self.url) == "200 network new")
        }
    }
}
