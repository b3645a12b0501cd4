import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Targeted fields (RFC 9213)")
struct TargetedFieldTests {
    private static let cdn = HTTPField.Name("CDN-Cache-Control")!
    private static let mine = HTTPField.Name("Bundle-Cache-Control")!

    private func policy(_ names: HTTPField.Name...) -> CachePolicy {
        CachePolicy(isShared: false, targetedFields: names)
    }

    @Test(
        "§2.2: the first field of the target list that is valid and not empty counts, else Cache-Control",
        arguments: [
            ([], 1), ([("CDN-Cache-Control", "max-age=2")], 2),
            ([("Bundle-Cache-Control", "max-age=3"), ("CDN-Cache-Control", "max-age=2")], 3),
            ([("CDN-Cache-Control", "max-age=2"), ("Bundle-Cache-Control", "max-age=3")], 3),
            ([("Bundle-Cache-Control", ""), ("CDN-Cache-Control", "max-age=2")], 2),
            ([("Bundle-Cache-Control", "max-age=3,"), ("CDN-Cache-Control", "max-age=2")], 2),
            ([("Bundle-Cache-Control", "&"), ("CDN-Cache-Control", " ")], 1),
            ([("Surrogate-Cache-Control", "max-age=9")], 1),
            ([("CDN-Cache-Control", "max-age=5"), ("CDN-Cache-Control", "max-age=2")], 2),
            ([("CDN-Cache-Control", "public"), ("CDN-Cache-Control", "max-age=2")], 2),
        ] as [([(String, String)], Int)]
    )
    func choice(fields: [(String, String)], maxAge: Int) {
        let fields = CacheExchange.fields([("Cache-Control", "max-age=1")] + fields)
        #expect(policy(Self.mine, Self.cdn).directives(of: fields).maxAge == maxAge)
        #expect(policy().directives(of: fields).maxAge == 1)
    }

    @Test(
        "§2.1: a field that isn't a dictionary of directives is ignored as a whole",
        arguments: [
            "max-age=60, &&&&&", "max-age=\"60\"", "max-age", "max-age=60.0", "max-age=x", "Max-Age=60", "max-age =60",
            "max-age= 60", "max-age=60;", "no-store=?0", "no-store=1", "public=\"x\"", "private=1", "no-cache=x",
            "max-age=60 no-store", "max-age=1234567890123456", "\u{e9}", "max-age=60, \u{e9}=1", ",max-age=60",
        ]
    )
    func malformed(value: String) {
        let fields = CacheExchange.fields([("CDN-Cache-Control", value), ("Cache-Control", "max-age=7")])
        #expect(!policy(Self.cdn).directives(of: fields).isTargeted)
        #expect(policy(Self.cdn).directives(of: fields).maxAge == 7)
    }

    @Test(
        "§2.1: values have the directives' types; parameters and unknown directives are ignored",
        arguments: [
            ("max-age=60", 60), ("max-age=60;x=1;y", 60), ("foobar, max-age=60", 60),
            ("a=1.5, b=:YQ==:, max-age=60", 60),
            ("x=(1 2);q, y=@1, z=%\"%c3%a9\", max-age=60", 60), ("max-age=1, max-age=60", 60), ("max-age=-1", 0),
            ("max-age=99999999999", 2_147_483_648), ("  max-age=60\t,\timmutable=1  ", 60),
        ]
    )
    func values(value: String, maxAge: Int) {
        let directives = policy(Self.cdn).directives(of: CacheExchange.fields([("CDN-Cache-Control", value)]))
        #expect(directives.isTargeted && directives.maxAge == maxAge)
    }

    @Test("§2.1: no-cache and private are true, or a string with the names of fields")
    func scopes() {
        let directives = policy(Self.cdn).directives(
            of: CacheExchange.fields([("CDN-Cache-Control", "no-cache=\"Set-Cookie, X\", private, must-revalidate")])
        )
        #expect(directives.noCache == .fields([.setCookie, HTTPField.Name("X")!]))
        #expect(directives.privateScope == .response && directives.mustRevalidate)
    }

    @Test(
        "§2.2: Cache-Control and Expires are ignored beside a targeted field",
        arguments: [
            ("max-age=60", "no-store", true, 60), ("no-store", "max-age=60", false, 0),
            ("private", "max-age=60", false, 0), ("max-age=60", "private", true, 60),
            ("max-age=0", "max-age=60", true, 0), ("s-maxage=30, max-age=60", "max-age=1", true, 30),
            ("public", "max-age=60", true, 0), ("no-cache", "max-age=60", true, 0),
        ] as [(String, String, Bool, TimeInterval)]
    )
    func precedence(targeted: String, plain: String, isStored: Bool, lifetime: TimeInterval) {
        let exchange = CacheExchange([
            ("CDN-Cache-Control", targeted), ("Cache-Control", plain), ("Expires", CacheExchange.date(1_000)),
        ])
        let policy = policy(Self.cdn)
        #expect(policy.isStorable(request: exchange.request, response: exchange.response) == isStored)
        #expect(policy.freshness(of: exchange.stored(by: policy), now: CacheExchange.start).lifetime == lifetime)
    }

    @Test("a cache that is addressed as one of many users obeys what is meant for such caches in every response")
    func addressedClass() {
        let targeted = policy(Self.cdn)
        let isStorable = { (exchange: CacheExchange) in
            targeted.isStorable(request: exchange.request, response: exchange.response)
        }
        #expect(!isStorable(CacheExchange(cacheControl: "private, max-age=60")))
        #expect(!isStorable(CacheExchange([("Cache-Control", "max-age=60")], request: [("Authorization", "x")])))
        #expect(isStorable(CacheExchange([("Cache-Control", "max-age=60")], request: [("Cookie", "a=b")])))
        #expect(isStorable(CacheExchange([("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")])))
        let stored = CacheExchange(cacheControl: "s-maxage=30, max-age=60").stored(by: targeted)
        #expect(targeted.freshness(of: stored, now: CacheExchange.start).lifetime == 30)
    }

    @Test("what was stored by a targeted field isn't used once the field isn't obeyed any more")
    func otherTargets() {
        let exchange = CacheExchange([("CDN-Cache-Control", "max-age=60"), ("Cache-Control", "no-store")])
        let stored = exchange.stored(by: policy(Self.cdn))
        #expect(policy(Self.cdn).mayUse(stored))
        #expect(!policy().mayUse(stored))
        let isPrivate = CacheExchange(cacheControl: "private, max-age=60").stored(by: policy())
        #expect(policy().mayUse(isPrivate))
        #expect(!policy(Self.cdn).mayUse(isPrivate))
    }
}
