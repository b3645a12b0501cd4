import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Freshness")
struct FreshnessTests {
    private static let week: TimeInterval = 7 * 24 * 3600

    @Test(
        "§4.2.1: the first of s-maxage (shared only), max-age and Expires counts",
        arguments: [
            ("max-age=60", nil, 60, 60), ("max-age=60", 3600, 60, 60), ("max-age=0", 3600, 0, 0),
            ("max-age=60", -3600, 60, 60), ("s-maxage=10, max-age=60", nil, 10, 60),
            ("max-age=60, s-maxage=10", nil, 10, 60), ("max-age=1, s-maxage=100", nil, 100, 1),
            ("max-age=0, s-maxage=100", -60, 100, 0), ("s-maxage=10", 3600, 10, 3600), ("s-maxage=10", nil, 10, 0),
            ("public", 3600, 3600, 3600), ("max-age=x", 3600, 0, 0), ("s-maxage=x, max-age=60", nil, 0, 60),
            ("max-age=99999999999", nil, 2_147_483_648, 2_147_483_648), ("immutable", nil, 0, 0),
        ] as [(String, TimeInterval?, TimeInterval, TimeInterval)]
    )
    func lifetime(cacheControl: String, expires: TimeInterval?, shared: TimeInterval, notShared: TimeInterval) {
        let expiry = expires.map { [("Expires", CacheExchange.date($0))] } ?? []
        let exchange = CacheExchange([("Cache-Control", cacheControl)] + expiry)
        #expect(exchange.freshness(shared: true).lifetime == shared)
        #expect(exchange.freshness(shared: false).lifetime == notShared)
    }

    @Test("§4.2: a response is fresh while its lifetime exceeds its age")
    func boundary() {
        let exchange = CacheExchange(cacheControl: "max-age=60")
        #expect(exchange.freshness(after: 59).isFresh)
        #expect(!exchange.freshness(after: 60).isFresh)
        #expect(exchange.freshness(after: 59).timeToLive == 1 && exchange.freshness(after: 59).staleness == 0)
        #expect(exchange.freshness(after: 61).timeToLive == -1 && exchange.freshness(after: 61).staleness == 1)
        #expect(!CacheExchange(cacheControl: "max-age=0").freshness().isFresh)
    }

    @Test(
        "§5.3: with an invalid or past Expires a response is stale at once, without a heuristic",
        arguments: [
            "0", "-1", "", "never", "Thu, 01 Jan 1970 00:00:00 GMT", "Tue, 14 Nov 2034 22:13:20 UTC",
            "Tue, 14 Nov 2034 22:13:20 AEST", "2034-11-14T22:13:20Z", "99999999999", "Tue",
        ]
    )
    func invalidExpires(value: String) {
        let exchange = CacheExchange([("Expires", value), ("Last-Modified", CacheExchange.date(-FreshnessTests.week))])
        #expect(exchange.freshness().lifetime == 0)
    }

    @Test("§4.2.1: the first of several Expires lines counts, and they aren't joined")
    func severalExpires() {
        #expect(CacheExchange([("Expires", CacheExchange.date(60)), ("Expires", "0")]).freshness().lifetime == 60)
        #expect(CacheExchange([("Expires", "0"), ("Expires", CacheExchange.date(60))]).freshness().lifetime == 0)
        let halves = [("Expires", "Tue"), ("Expires", "14 Nov 2034 22:13:20 GMT")]
        #expect(CacheExchange(halves).freshness().lifetime == 0)
    }

    @Test("§4.2.1: Expires is relative to Date, and to the time of arrival without one")
    func expiresWithoutDate() {
        var exchange = CacheExchange([("Expires", CacheExchange.date(60))])
        exchange.response.headerFields[.date] = CacheExchange.date(-40)
        #expect(exchange.freshness().lifetime == 100)
        exchange.response.headerFields[.date] = nil
        #expect(exchange.freshness().lifetime == 60)
    }

    @Test(
        "§4.2.2: without an expiry a tenth of the time since Last-Modified, at most a day",
        arguments: [(-100, 10), (-36_000, 3_600), (-8_640_000, 86_400), (-86_400_000, 86_400), (0, 0), (60, 0)]
            as [(TimeInterval, TimeInterval)]
    )
    func heuristic(lastModified: TimeInterval, lifetime: TimeInterval) {
        #expect(CacheExchange([("Last-Modified", CacheExchange.date(lastModified))]).freshness().lifetime == lifetime)
    }

    @Test("§4.2.2: no heuristic without a Last-Modified that is a date", arguments: [nil, "0", "long ago"])
    func noHeuristic(lastModified: String?) {
        #expect(CacheExchange(lastModified.map { [("Last-Modified", $0)] } ?? []).freshness().lifetime == 0)
    }

    @Test(
        "§4.2.2: the heuristic applies to statuses that allow it, and to public responses",
        arguments: [
            (200, "", true), (203, "", true), (204, "", true), (301, "", true), (404, "", true), (410, "", true),
            (501, "", true), (201, "", false), (302, "", false), (403, "", false), (500, "", false), (503, "", false),
            (599, "", false), (599, "public", true), (599, "private", false),
        ] as [(Int, String, Bool)]
    )
    func heuristicStatus(status: Int, cacheControl: String, isFresh: Bool) {
        let lastModified = ("Last-Modified", CacheExchange.date(-FreshnessTests.week))
        let exchange = CacheExchange(status: status, [lastModified, ("Cache-Control", cacheControl)])
        #expect(exchange.freshness().isFresh == isFresh)
    }

    @Test("the heuristic's numbers can be set, and negative ones count as 0")
    func heuristicParameters() {
        let stored = CacheExchange([("Last-Modified", CacheExchange.date(-1000))]).stored()
        let lifetime = { (policy: CachePolicy) in policy.freshness(of: stored, now: CacheExchange.start).lifetime }
        #expect(lifetime(CachePolicy(isShared: false, heuristicFraction: 0.5)) == 500)
        #expect(lifetime(CachePolicy(isShared: false, heuristicFraction: 0.5, heuristicMaximum: 20)) == 20)
        #expect(lifetime(CachePolicy(isShared: false, heuristicFraction: -1)) == 0)
        #expect(lifetime(CachePolicy(isShared: false, heuristicMaximum: -1)) == 0)
    }
}
