import BundleModel
import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundleUpdate

@Suite("The clock by which signatures expire")
struct TrustClockTests {
    private static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(
        "the latest of the clock, the last signature and the day of the program counts, without a clock the others do",
        arguments: [
            ("2026-01-05", "2025-06-01", "2026-01-05"), ("1970-01-01", "2025-06-01", "2026-01-01"),
            ("1970-01-01", "2026-01-07", "2026-01-07"), ("2026-01-05", "2026-01-07", "2026-01-07"),
            (nil, "2026-01-07", "2026-01-07"), (nil, "2025-06-01", "2026-01-01"),
        ] as [(String?, String, String)]
    )
    func latest(_ clock: String?, _ earliest: String, _ expected: String) async throws {
        try await TrustFixture.using { fixture in
            let keeper = try CatalogKeeper(fixture.client.store, UpdaterFixture.name, anchor: fixture.signer.anchor)
            let clock = TrustTime.clock(
                try clock.map { try Self.date("\($0)T00:00:00Z") },
                earliest: try Self.date("\(earliest)T00:00:00Z")
            )
            let state = try TrustedState(restoredFrom: keeper)
            #expect(try TrustTime.now(clock, after: state) == Self.date("\(expected)T00:00:00Z"))
        }
    }

    @Test("the machine's own clock counts from the day of the program on, and one that is given as it is")
    func dayOfProgram() async throws {
        try await withTemporaryDirectory { directory in
            let own = try BundleStore(at: directory.path(of: "own"), creating: true)
            #expect(own.earliestDate == ProductVersion.releaseDate)
            let given = try BundleStore(at: directory.path(of: "given"), creating: true, now: TestClock().read)
            #expect(given.earliestDate == .distantPast)
        }
    }

    @Test("a time of signing after the expiry counts for nothing, and the timestamp is taken")
    func signedAfterExpiry() async throws {
        try await TrustFixture.using { fixture in
            fixture.signer.signedAt = "2026-02-01T00:00:01Z"
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
            let keeper = try CatalogKeeper(fixture.client.store, UpdaterFixture.name, anchor: fixture.signer.anchor)
            let clock = try Self.date("2026-01-02T00:00:00Z")
            #expect(try TrustTime.now(clock, after: TrustedState(restoredFrom: keeper)) == clock)
        }
    }

    @Test(
        "on a device without a clock updates go on however wrong it is, and what is older than the last signature is refused"
    )
    func withoutClock() async throws {
        try await TrustFixture.using { fixture in
            try fixture.client.store.setTrustClock(.absent)
            fixture.client.clock.advance(by: .seconds(7_305 * 86_400))
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
            (fixture.signer.signedAt, fixture.signer.onlineExpiry) = ("2026-03-01T00:00:00Z", "2026-03-15T00:00:00Z")
            try fixture.signer.signOnline()
            #expect(await fixture.client.failure() == nil)
            fixture.signer.onlineExpiry = "2026-02-28T00:00:00Z"
            try fixture.signer.publish("1.2.0", DeliveryFixture.old)
            #expect(await fixture.refusal() == .expired)
            #expect(fixture.client.page == "1.1.0")
            try fixture.client.store.setTrustClock(.machine)
            #expect(await fixture.refusal() == .expired)
        }
    }
}
