import BundleNetwork
import Testing

@Suite("Keeping what can be used again")
struct ReuseTests {
    @Test(
        "a response is worth keeping when it is fresh for a while, can be confirmed, or helps without a network",
        arguments: [
            (200, [("Cache-Control", "max-age=60")], true), (404, [("Cache-Control", "max-age=60")], true),
            (404, [("Cache-Control", "max-age=0, stale-while-revalidate=9")], true),
            (404, [("ETag", #""1""#)], true), (404, [("Last-Modified", CacheExchange.date(-60))], true),
            (200, [("Cache-Control", "no-cache"), ("ETag", #""1""#)], true),
            (200, [], true), (301, [], true), (200, [("Cache-Control", "max-age=0")], true),
            (200, [("Cache-Control", "no-cache")], false),
            (200, [("Cache-Control", "max-age=0, must-revalidate")], false),
            (200, [("Cache-Control", "no-cache"), ("ETag", "malformed")], false), (404, [], false), (410, [], false),
            (404, [("Cache-Control", "max-age=0")], false), (404, [("Expires", "0")], false),
            (404, [("Cache-Control", "max-age=60"), ("Age", "61")], false),
        ] as [(Int, [(String, String)], Bool)]
    )
    func reusable(_ status: Int, _ fields: [(String, String)], _ isReusable: Bool) {
        let stored = CacheExchange(status: status, fields).stored(shared: true)
        #expect(CachePolicy(isShared: true).isReusable(stored) == isReusable)
    }
}
