import BundleNetwork
import HTTPTypes
import Testing

@Suite("Cache-Control")
struct CacheControlTests {
    private func parse(_ lines: String...) -> CacheControl {
        CacheControl(CacheExchange.fields(lines.map { ("Cache-Control", $0) }))
    }

    @Test(
        "§1.2.2, §5.2: max-age is a token or a quoted number, and anything else counts as 0",
        arguments: [
            ("max-age=3600", 3600), ("MaX-aGe=3600", 3600), ("max-age=\"3600\"", 3600), ("max-age=\"36\\00\"", 3600),
            ("max-age=\"36\\\\00\"", 0),
            ("max-age=003600", 3600), ("max-age=0", 0), ("max-age=", 0), ("max-age", 0), ("max-age=-1", 0),
            ("max-age=+60", 0), ("max-age='60'", 0), ("max-age=60.0", 0), ("max-age=60.5", 0), ("max-age=a60", 0),
            ("max-age=60a", 0), ("max-age= 60", 0), ("max-age =60", 60), ("max-age = 60", 0), ("max-age=\"60", 0),
            ("max-age=\"\"", 0), ("max-age=６０", 0), ("max-age=60; x", 0), ("max-age==60", 0),
        ] as [(String, Int)]
    )
    func maxAge(line: String, seconds: Int) {
        #expect(parse(line).maxAge == seconds)
    }

    @Test(
        "§1.2.2: a number that is too large counts as 2^31",
        arguments: [
            ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648),
            ("99999999999", 2_147_483_648), (String(repeating: "9", count: 500), 2_147_483_648),
        ] as [(String, Int)]
    )
    func saturation(digits: String, seconds: Int) {
        #expect(parse("max-age=\(digits)").maxAge == seconds)
    }

    @Test(
        "§4.2.1: when a directive occurs twice, the first counts",
        arguments: [
            ["max-age=1, max-age=2"], ["max-age=1", "max-age=2"], ["public, max-age=1", "max-age=2, max-age=x"],
        ]
    )
    func duplicates(lines: [String]) {
        #expect(CacheControl(CacheExchange.fields(lines.map { ("Cache-Control", $0) })).maxAge == 1)
    }

    @Test(
        "§5.2: text inside a quoted string isn't a directive",
        arguments: [
            "ext=\"a, max-age=1, no-store\", max-age=60", "max-age=60, ext=\"no-store, max-age=1\"",
            "ext=\"\\\", no-store\", max-age=60", "ext=\"no, no-store, \\\\\", max-age=60",
        ]
    )
    func quotedStrings(line: String) {
        #expect(parse(line).maxAge == 60)
        #expect(!parse(line).noStore)
    }

    @Test("an unclosed quote hides no directives")
    func unclosedQuote() {
        #expect(parse("ext=\"a, no-store").noStore)
        #expect(parse("ext=\"a", "no-store").noStore)
    }

    @Test("§5.2.3: unknown directives and empty elements are ignored")
    func unknown() {
        let control = parse(",, community=\"UCI\" ,\tmax-age=60 , ,x=,=y,=", "", "no-transform")
        #expect(control.maxAge == 60)
        #expect(!control.noStore && !control.isPublic && control.noCache == nil && control.privateScope == nil)
    }

    @Test("without the field, nothing is set")
    func absent() {
        let control = CacheControl(HTTPFields())
        #expect(!control.noStore && !control.mustRevalidate && !control.proxyRevalidate && !control.mustUnderstand)
        #expect(!control.isPublic && !control.onlyIfCached && control.noCache == nil && control.privateScope == nil)
        #expect(control.maxAge == nil && control.sharedMaxAge == nil && control.minFresh == nil)
        #expect(control.maxStale == nil && control.staleIfError == nil && control.staleWhileRevalidate == nil)
    }

    @Test("every directive is read, in any case and on any line")
    func allDirectives() {
        let control = parse(
            "No-Store, NO-CACHE, private, Public, must-Revalidate, proxy-revalidate",
            "must-understand, only-if-cached, s-maxage=1, min-fresh=2, max-stale=3",
            "stale-while-revalidate=4, stale-if-error=5"
        )
        #expect(control.noStore && control.isPublic && control.mustRevalidate && control.proxyRevalidate)
        #expect(control.mustUnderstand && control.onlyIfCached)
        #expect(control.noCache == .response && control.privateScope == .response)
        #expect(control.sharedMaxAge == 1 && control.minFresh == 2 && control.maxStale == 3)
        #expect(control.staleWhileRevalidate == 4 && control.staleIfError == 5)
    }

    @Test(
        "§5.2.1.2: max-stale without an argument accepts any staleness, a malformed one accepts none",
        arguments: [("max-stale", 2_147_483_648), ("max-stale=10", 10), ("max-stale=x", 0), ("max-stale=", 0)]
            as [(String, Int)]
    )
    func maxStale(line: String, seconds: Int) {
        #expect(parse(line).maxStale == seconds)
    }

    @Test(
        "§5.2.2.4, §5.2.2.7: a qualified directive applies to the fields it lists",
        arguments: [
            ("=\"Set-Cookie\"", CacheControl.Scope.fields([.setCookie])),
            ("=Set-Cookie", .fields([.setCookie])),
            ("=\"set-cookie , ETag,\"", .fields([.setCookie, .eTag])),
            ("", .response), ("=", .response), ("=\"\"", .response), ("=\"a b\"", .response),
            ("=\"Set-Cookie, \u{e9}\"", .response), ("=\"Vary\"", .response), ("=\"cache-control, ETag\"", .response),
        ] as [(String, CacheControl.Scope)]
    )
    func scopes(argument: String, scope: CacheControl.Scope) {
        #expect(parse("no-cache\(argument)").noCache == scope)
        #expect(parse("private\(argument)").privateScope == scope)
    }

    @Test("§4.2.1: of conflicting scopes, the most restrictive wins")
    func conflictingScopes() {
        #expect(parse("no-cache=\"ETag\", no-cache").noCache == .response)
        #expect(parse("no-cache, no-cache=\"ETag\"").noCache == .response)
        #expect(parse("private=ETag", "private=Age").privateScope == .fields([.eTag, .age]))
    }
}
