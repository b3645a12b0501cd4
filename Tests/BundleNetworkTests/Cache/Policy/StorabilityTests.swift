import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Storing responses")
struct StorabilityTests {
    private let both = [true, false]

    @Test(
        "§3: only a response to GET is stored",
        arguments: ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "QUERY", "get"]
    )
    func method(name: String) {
        var exchange = CacheExchange(cacheControl: "public, max-age=60")
        #expect(both.allSatisfy(exchange.isStorable))
        exchange.request.method = HTTPRequest.Method(name)!
        #expect(!both.contains(where: exchange.isStorable))
    }

    @Test(
        "§3: interim, partial and precondition responses are never stored",
        arguments: [0, 99, 100, 101, 103, 206, 304, 412, 416, 600, 999]
    )
    func neverStored(status: Int) {
        #expect(
            !both.contains(where: CacheExchange(status: status, [("Cache-Control", "public, max-age=60")]).isStorable)
        )
    }

    @Test(
        "§3: a response with an explicit expiry is stored whatever its final status",
        arguments: [200, 201, 202, 299, 302, 303, 307, 400, 403, 404, 429, 500, 503, 599]
    )
    func explicitExpiry(status: Int) {
        #expect(both.allSatisfy(CacheExchange(status: status, [("Cache-Control", "max-age=60")]).isStorable))
        #expect(both.allSatisfy(CacheExchange(status: status, [("Expires", CacheExchange.date(60))]).isStorable))
    }

    @Test(
        "§3, RFC 9110 §15.1: without an expiry the status counts",
        arguments: [
            (200, true), (203, true), (204, true), (300, true), (301, true), (308, true), (404, true), (405, true),
            (410, true), (414, true), (501, true), (201, false), (202, false), (302, false), (307, false),
            (400, false), (403, false), (500, false), (502, false), (503, false), (504, false), (599, false),
        ] as [(Int, Bool)]
    )
    func heuristicStatus(status: Int, isStored: Bool) {
        #expect(CacheExchange(status: status).isStorable(shared: true) == isStored)
        #expect(CacheExchange(status: status).isStorable(shared: false) == isStored)
    }

    @Test("§3: public makes any final status storable, private one for a private cache, s-maxage one for a shared one")
    func explicitPermission() {
        #expect(both.allSatisfy(CacheExchange(status: 599, [("Cache-Control", "public")]).isStorable))
        let isPrivate = CacheExchange(status: 599, [("Cache-Control", "private")])
        #expect(isPrivate.isStorable(shared: false) && !isPrivate.isStorable(shared: true))
        let sharedMaxAge = CacheExchange(status: 599, [("Cache-Control", "s-maxage=60")])
        #expect(!sharedMaxAge.isStorable(shared: false) && sharedMaxAge.isStorable(shared: true))
    }

    @Test(
        "§5.2.2.5: no-store wins over everything that allows storing",
        arguments: ["no-store", "nO-StOrE", "no-store, max-age=60, public", "no-store=\"x\"", "public, no-store"]
    )
    func noStore(cacheControl: String) {
        #expect(!both.contains(where: CacheExchange(cacheControl: cacheControl).isStorable))
    }

    @Test("§5.2.1.5: the response to a request with no-store isn't stored")
    func requestNoStore() {
        let exchange = CacheExchange([("Cache-Control", "max-age=60")], request: [("Cache-Control", "no-store")])
        #expect(!both.contains(where: exchange.isStorable))
    }

    @Test("§5.2.2.3: must-understand overrides no-store when the status is understood")
    func mustUnderstand() {
        let fields = [("Cache-Control", "must-understand, no-store, max-age=60")]
        #expect(both.allSatisfy(CacheExchange(status: 200, fields).isStorable))
        #expect(!both.contains(where: CacheExchange(status: 206, fields).isStorable))
    }

    @Test(
        "§3, §5.2.2.3: must-understand keeps a response out of the cache whose status has no meaning here",
        arguments: [
            (200, true), (203, true), (301, true), (404, true), (451, true), (503, true), (299, false), (306, false),
            (399, false), (418, false), (499, false), (599, false),
        ]
    )
    func mustUnderstandStatus(status: Int, isUnderstood: Bool) {
        for directives in ["must-understand, no-store, max-age=60", "max-age=60, must-understand, public"] {
            let exchange = CacheExchange(status: status, [("Cache-Control", directives)])
            #expect(both.allSatisfy { exchange.isStorable(shared: $0) == isUnderstood }, "\(directives)")
        }
        #expect(both.allSatisfy(CacheExchange(status: status, [("Cache-Control", "max-age=60")]).isStorable))
    }

    @Test("§5.2.1.5: must-understand doesn't override the request's no-store")
    func mustUnderstandRequest() {
        let exchange = CacheExchange(
            [("Cache-Control", "must-understand, no-store")],
            request: [("Cache-Control", "no-store")]
        )
        #expect(!both.contains(where: exchange.isStorable))
    }

    @Test(
        "§5.2.2.7: private keeps a response out of a shared cache unless it lists fields",
        arguments: [("private", false), ("private=\"\"", false), ("private=\"Set-Cookie\"", true)]
    )
    func privateDirective(directive: String, isShareable: Bool) {
        let exchange = CacheExchange(cacheControl: "max-age=60, \(directive)")
        #expect(exchange.isStorable(shared: true) == isShareable)
        #expect(exchange.isStorable(shared: false))
    }

    @Test(
        "§3.5: a shared cache stores the response to an authorized request only with permission",
        arguments: [
            ("max-age=60", false), ("max-age=60, public", true), ("max-age=60, must-revalidate", true),
            ("s-maxage=60", true), ("max-age=60, proxy-revalidate", false),
        ]
    )
    func authorization(cacheControl: String, isShareable: Bool) {
        let exchange = CacheExchange([("Cache-Control", cacheControl)], request: [("Authorization", "Bearer x")])
        #expect(exchange.isStorable(shared: true) == isShareable)
        #expect(exchange.isStorable(shared: false) == true)
    }

    @Test(
        "a shared cache stores the response to a request with cookies only with permission",
        arguments: [("max-age=60", false), ("max-age=60, public", true), ("s-maxage=60", true)]
    )
    func requestCookie(cacheControl: String, isShareable: Bool) {
        let exchange = CacheExchange([("Cache-Control", cacheControl)], request: [("Cookie", "a=b")])
        #expect(exchange.isStorable(shared: true) == isShareable)
        #expect(exchange.isStorable(shared: false))
    }

    @Test(
        "§7.3: a shared cache stores cookies only with permission",
        arguments: [
            ("max-age=60", false), ("max-age=60, public", true), ("s-maxage=60", true), ("no-cache", false),
            ("no-cache=\"Set-Cookie\"", true), ("private=\"Set-Cookie\"", true), ("private=\"ETag\"", false),
        ] as [(String, Bool)]
    )
    func cookies(cacheControl: String, isShareable: Bool) {
        let exchange = CacheExchange([("Cache-Control", cacheControl), ("Set-Cookie", "a=b")])
        #expect(exchange.isStorable(shared: true) == isShareable)
        #expect(exchange.isStorable(shared: false))
    }

    @Test("§5.2.2.4: a no-cache response is stored, and validated before each use")
    func noCache() {
        #expect(both.allSatisfy(CacheExchange(cacheControl: "no-cache").isStorable))
    }

    @Test("§5.3: an invalid Expires still counts as an expiry, in the past")
    func invalidExpires() {
        #expect(both.allSatisfy(CacheExchange(status: 302, [("Expires", "0")]).isStorable))
    }

    @Test(
        "§4.1: a response isn't stored if no later request can match its Vary",
        arguments: [
            ["*"], ["*, *"], [", *"], ["", "*"], ["*, Accept"], ["Accept, *"], ["Accept", "*"], ["a b"], ["\""],
        ]
    )
    func varyAnything(lines: [String]) {
        let exchange = CacheExchange([("Cache-Control", "max-age=60")] + lines.map { ("Vary", $0) })
        #expect(!both.contains(where: exchange.isStorable))
    }

    @Test("a response with too many fields isn't stored")
    func tooManyFields() {
        let many = (0..<StoredResponse.maximumFieldCount).map { ("x-\($0)", "y") }
        #expect(CacheExchange(Array(many.dropFirst())).isStorable(shared: false))
        #expect(!CacheExchange(many).isStorable(shared: false))
    }
}
