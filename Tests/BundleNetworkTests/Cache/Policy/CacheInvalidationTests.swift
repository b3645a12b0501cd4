import BundleNetwork
import HTTPTypes
import Testing

@Suite("Invalidation (RFC 9111 §4.4)")
struct CacheInvalidationTests {
    private static let url = "https://m.example.com/shop/cart?x=1"

    private func urls(_ method: String, _ status: Int, _ fields: [(String, String)] = []) throws -> [String] {
        CacheInvalidation.urls(
            after: try #require(HTTPRequest.Method(method)),
            to: Self.url,
            response: CacheExchange(status: status, fields).response
        )
    }

    @Test(
        "a response that isn't an error to an unsafe method, or one whose safety isn't known, invalidates the URL",
        arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "UNKNOWN", "get"],
        [(200, true), (204, true), (303, true), (399, true), (400, false), (404, false), (500, false), (599, false)]
    )
    func unsafe(method: String, status: (code: Int, invalidates: Bool)) throws {
        #expect(try urls(method, status.code) == (status.invalidates ? [Self.url] : []))
    }

    @Test(
        "a safe method invalidates nothing",
        arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"]
    )
    func safe(method: String) throws {
        #expect(try urls(method, 200, [("Location", "/a"), ("Content-Location", "/b")]) == [])
    }

    @Test(
        "Location and Content-Location are invalidated too, if they have the same origin",
        arguments: [
            ("/a", ["https://m.example.com/a"]), ("a", ["https://m.example.com/shop/a"]),
            ("../a?b#c", ["https://m.example.com/a?b#c"]), ("?y", ["https://m.example.com/shop/cart?y"]),
            ("HTTPS://M.example.com:443/a", ["HTTPS://M.example.com:443/a"]),
            ("//m.example.com/a", ["https://m.example.com/a"]), ("http://m.example.com/a", []),
            ("https://m.example.com:8443/a", []), ("https://example.com/a", []), ("//other.example/a", []),
            ("https://m.example.com.evil.example/a", []), ("https://m.example.com@evil.example/a", []), ("", []),
            ("data:text/plain,a", []), ("shop:cart", []), (url, []),
        ] as [(String, [String])],
        ["Location", "Content-Location"]
    )
    func named(target: (reference: String, urls: [String]), name: String) throws {
        #expect(try urls("POST", 201, [(name, target.reference)]) == [Self.url] + target.urls)
    }

    @Test("each URL is listed once, and of several lines the first counts")
    func once() throws {
        let fields = [("Location", "/a"), ("Content-Location", "/a"), ("Location", "/b")]
        #expect(try urls("PUT", 200, fields) == [Self.url, "https://m.example.com/a"])
    }
}
