import BundleTesting
import Testing

@testable import BundleModel

@Suite("Origins that can contain the same URL")
struct OriginOverlapTests {
    @Test(
        "overlap if one equals the other or is a prefix of it, by whole components",
        arguments: [
            ("https://m.test/shop/", "https://m.test/shop/", true),
            ("https://m.test/shop", "https://M.test:443/shop/", true),
            ("https://m.test/shop/", "https://m.test/shop/checkout/", true),
            ("https://m.test/", "https://m.test/shop/", true),
            ("https://m.test/shop/", "https://m.test/shopping/", false),
            ("https://m.test/shop/a/", "https://m.test/shop/b/", false),
            ("https://m.test/sh%6Fp/", "https://m.test/shop/", true),
            ("https://m.test/Shop/", "https://m.test/shop/", false),
            ("https://m.test/", "https://cdn.m.test/", false), ("https://m.test/", "https://m.test:8443/", false),
            // A request that names only the host may be for either.
            ("http://m.test/shop/", "https://m.test/", true), ("http://m.test:8080/", "https://m.test:8080/", true),
            ("http://m.test:443/shop/", "https://m.test/shop/", true),
            ("http://m.test/", "https://m.test:80/shop/", true), ("http://m.test:443/", "https://m.test:80/", true),
            ("http://m.test:443/shop/", "https://m.test:8443/shop/", false),
        ]
    )
    func overlap(one: String, other: String, expected: Bool) throws {
        let (one, other) = (try OriginURL(one), try OriginURL(other))
        #expect(one.overlaps(other) == expected)
        #expect(other.overlaps(one) == expected)
    }

    @Test("are served by the longer prefix, and if equal by the first name")
    func winner() throws {
        let shop = try BundleManifest.sample(origins: ["https://m.test/shop/"])
        let bad = BundleName("bad")
        let table = [
            ("https://m.test/", "https://m.test/ includes https://m.test/shop/ of shop", "shop"),
            ("https://m.test/shop", "https://m.test/shop/ is an origin of shop too", "bad"),
            ("https://m.test/shop/a", "https://m.test/shop/a/ lies in https://m.test/shop/ of shop", "bad"),
        ]
        for (url, description, winner) in table {
            let overlaps = OriginOverlap.all(of: [try OriginURL(url)], with: shop)
            #expect(overlaps.map(\.description) == [description])
            #expect(overlaps.first?.winner(against: bad).string == winner)
        }
        #expect(OriginOverlap.all(of: [try OriginURL("https://n.test/")], with: shop).isEmpty)
    }
}
