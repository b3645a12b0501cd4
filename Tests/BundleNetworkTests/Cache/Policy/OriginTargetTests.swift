import BundleNetwork
import HTTPCore
import Testing

@Suite("What a request to an origin is for")
struct OriginTargetTests {
    @Test(
        "RFC 9110 §7.1: scheme, host and port, path and query; not the fragment",
        arguments: [
            ("https://m.example.com/shop/a.js", "https", "m.example.com", "/shop/a.js"),
            ("HTTPS://M.example.com:8443/a?b=c&d=%20#e", "https", "m.example.com:8443", "/a?b=c&d=%20"),
            ("http://m.example.com", "http", "m.example.com", "/"),
            ("http://m.example.com:80/a", "http", "m.example.com", "/a"),
            ("http://m.example.com?q", "http", "m.example.com", "/?q"),
            ("http://m.example.com/a?b?c", "http", "m.example.com", "/a?b?c"),
            ("http://127.0.0.1:8080/a%2Fb/%E4%BD%A0", "http", "127.0.0.1:8080", "/a%2Fb/%E4%BD%A0"),
            ("http://[::1]:8080/a", "http", "[::1]:8080", "/a"),
            ("http://[::1]/a", "http", "[::1]", "/a"),
        ]
    )
    func parts(url: String, scheme: String, authority: String, path: String) throws {
        let target = try #require(OriginTarget(url))
        #expect(target.scheme == scheme)
        #expect(target.authority == authority)
        #expect(target.path == path)
        #expect(target.origin == "\(scheme)://\(authority)")
    }

    @Test(
        "what isn't http or https, has no host or has user information is nothing to ask an origin for",
        arguments: [
            "file:///etc/passwd", "ftp://example.com/a", "/a", "https:///a", "https:a", "data:text/plain,a",
            "http://user:secret@m.example.com", "http://m.example.com/a b", "",
        ]
    )
    func others(url: String) {
        #expect(OriginTarget(url) == nil)
    }
}
