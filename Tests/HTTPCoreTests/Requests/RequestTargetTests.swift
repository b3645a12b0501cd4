import BundleServing
import HTTPTypes
import Testing

@Suite("Request targets")
struct RequestTargetTests {
    @Test(
        "one URL has one scheme and authority",
        arguments: [
            ("https://m.example.com/a", "https", "m.example.com"),
            ("HTTPS://M.Example.COM/a", "https", "m.example.com"),
            ("https://m.example.com:443/a", "https", "m.example.com"),
            ("https://m.example.com:/a", "https", "m.example.com"),
            ("https://m.example.com:0443/a", "https", "m.example.com"),
            ("https://m.example.com:80/a", "https", "m.example.com:80"),
            ("http://m.example.com:80/a", "http", "m.example.com"),
            ("http://m.example.com:8080/a", "http", "m.example.com:8080"),
            ("http://[2001:DB8::1]:80/a", "http", "[2001:db8::1]"),
            ("http://[2001:db8::80]/a", "http", "[2001:db8::80]"),
        ]
    )
    func normalisation(url: String, scheme: String, authority: String) {
        let target = RequestTarget(url: url)
        #expect(target?.scheme == scheme)
        #expect(target?.authority == authority)
        #expect(target?.path == "/a")
    }

    @Test(
        "path and query are kept as they were sent, the fragment isn't",
        arguments: [
            ("https://h", "/", ""), ("https://h?q=/x", "/", "?q=/x"), ("https://h#top", "/", ""),
            ("https://h/a%2Fb?c=%20#d", "/a%2Fb", "?c=%20"), ("https://h/a#b?c", "/a", ""),
            ("https://h/a??b?c", "/a", "??b?c"), ("https://h/a/?", "/a/", "?"),
        ]
    )
    func parts(url: String, path: String, query: String) {
        let target = RequestTarget(url: url)
        #expect(target?.path == path)
        #expect(target?.query == query)
    }

    @Test(
        "anything but an http or https URL with a plain authority is refused",
        arguments: [
            "", "/a", "m.example.com/a", "ftp://m.example.com/a", "https:/m.example.com/a", "https:///a", "https://",
            "https://me@m.example.com/a", "https://me:secret@m.example.com/a", "javascript:alert(1)",
            "file:///etc/passwd",
            "https//m.example.com", "://m.example.com/",
        ]
    )
    func notOne(url: String) {
        #expect(RequestTarget(url: url) == nil)
    }

    @Test(
        "a request that names a scheme has the target of its URL",
        arguments: [
            ("HTTPS", "M.Example.com:443", "/a?b#c"), ("http", "h:80", ""), ("http", "h", "?q"), ("https", "h", "#f"),
            ("ftp", "h", "/a"), ("https", "", "/a"), ("https", "me@h", "/a"),
        ]
    )
    func absoluteForm(scheme: String, authority: String, path: String) {
        let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
        #expect(RequestTarget(request) == RequestTarget(url: "\(scheme)://\(authority)\(path)"))
    }

    @Test("a path has the host it was sent to")
    func originForm() throws {
        let target = try #require(RequestTarget("/a?b", host: "M.Example.com:443"))
        #expect(target.scheme == nil)
        #expect(target.authority == "m.example.com")
        #expect(target.path == "/a")
        #expect(target.query == "?b")
    }

    @Test("an absolute target's own host counts (RFC 9112 §3.2.2)")
    func absoluteForm() throws {
        let target = try #require(RequestTarget("http://a.example/x", host: "b.example"))
        #expect(target.authority == "a.example")
        #expect(target.scheme == "http")
    }

    @Test("other forms of a target are refused", arguments: ["*", "a.example:443", "", "a/b"])
    func otherForms(target: String) {
        #expect(RequestTarget(target, host: "a.example") == nil)
    }

    @Test("a combining mark doesn't hide a separator")
    func combiningMarks() {
        #expect(RequestTarget(url: "https://h/\u{301}a")?.authority == "h")
        #expect(RequestTarget(url: "https://h/a?\u{301}b")?.path == "/a")
        #expect(RequestTarget(url: "https://h/a#\u{301}b")?.path == "/a")
    }
}
