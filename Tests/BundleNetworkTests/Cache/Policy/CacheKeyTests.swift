import BundleNetwork
import BundleStore
import HTTPTypes
import Testing

@Suite("Cache keys")
struct CacheKeyTests {
    @Test(
        "RFC 3986 §6.2.2, RFC 9110 §4.2.3: spellings of one URL have one key",
        arguments: [
            ("https://m.example.com/a", "https://m.example.com/a"),
            ("HTTPS://M.Example.COM/a", "https://m.example.com/a"),
            ("https://m.example.com:443/a", "https://m.example.com/a"),
            ("http://m.example.com:80/a", "http://m.example.com/a"),
            ("http://m.example.com:8080/a", "http://m.example.com:8080/a"),
            ("https://m.example.com:80/a", "https://m.example.com:80/a"),
            ("http://[::1]:80/a", "http://[::1]/a"),
            ("https://m.example.com", "https://m.example.com/"),
            ("https://m.example.com?a", "https://m.example.com/?a"),
            ("https://m.example.com/a#b?c", "https://m.example.com/a"),
            ("https://m.example.com/%7eu%2d%41/%c3%A9", "https://m.example.com/~u-A/%C3%A9"),
            ("https://m.example.com/a?x=%7e&y=%2f", "https://m.example.com/a?x=~&y=%2F"),
        ]
    )
    func spellings(url: String, text: String) {
        #expect(CacheKey(url).text == text)
        #expect(CacheKey(CacheKey(url).text).text == text)
    }

    @Test(
        "what may be another resource has another key",
        arguments: [
            "https://m.example.com/A", "https://m.example.com/a/", "https://m.example.com//a",
            "https://m.example.com/a?", "https://m.example.com/%61%2Fb", "http://m.example.com/a",
            "https://m.example.com/b/../a", "https://m.example.com/a%", "https://m.example.com/a%zz",
        ]
    )
    func others(url: String) {
        #expect(CacheKey(url) != CacheKey("https://m.example.com/a"))
        #expect(CacheKey(url).text == url || CacheKey(url).text == "https://m.example.com/a%2Fb")
    }

    @Test("§4: a response to GET serves HEAD, and no other method")
    func methods() {
        let url = "https://m.example.com/a"
        #expect(CacheKey(url, method: .head) == CacheKey(url))
        #expect(CacheKey(url, method: .post).text == "POST https://m.example.com/a")
        #expect(CacheKey(url, method: HTTPRequest.Method("get")!) != CacheKey(url))
    }

    @Test(
        "parameters that the manifest names don't count; the others keep their order",
        arguments: [
            ("?utm_source=x&id=1&utm_medium=y", "?id=1"), ("?id=1", "?id=1"), ("?utm_source=x", ""),
            ("?fbclid", ""), ("?fbclid=1&fbclid2=2", "?fbclid2=2"), ("?b=1&a=2", "?b=1&a=2"),
            ("?%75tm_x=1&%61=%2f", "?a=%2F"), ("?a=utm_x", "?a=utm_x"), ("?UTM_x=1", "?UTM_x=1"), ("?", "?"),
            ("?&utm_x", "?"), ("?a&&utm_x=&b", "?a&&b"), ("", ""), ("?utm_x=1#a?b", ""), ("?a=1=2", "?a=1=2"),
        ]
    )
    func ignoredParameters(query: String, counted: String) throws {
        let ignored = try ["utm_*", "fbclid"].map { try #require(ParameterPattern($0)) }
        let base = "https://m.example.com/a"
        #expect(CacheKey(base + query, ignoring: ignored).text == base + counted)
    }

    @Test("an asterisk alone leaves no query")
    func everything() throws {
        let all = try #require(ParameterPattern("*"))
        #expect(CacheKey("https://m.example.com/a?b=1&c", ignoring: [all]) == CacheKey("https://m.example.com/a"))
    }
}
