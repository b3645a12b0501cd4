import Testing

@testable import BundleModel

@Suite("Values of network rules")
struct RuleValueTests {
    @Test(
        "the destination that a browser names tells the kind of a request",
        arguments: [
            ("document", RequestKind.navigation), ("iframe", .navigation), ("script", .script),
            ("audioworklet", .script),
            ("style", .style), ("image", .image), ("font", .font), ("video", .media), ("audio", .media),
            ("track", .media),
            ("empty", .fetch), ("serviceworker", .worker), ("sharedworker", .worker), ("worker", .worker),
            ("object", .other), ("embed", .other), ("manifest", .other), ("", .other), ("Document", .other),
        ]
    )
    func kind(_ destination: String, _ kind: RequestKind) {
        #expect(RequestKind(destination: destination) == kind)
    }

    @Test(
        "a media range contains types in any case, whatever their parameters",
        arguments: [
            ("image/*", "image/png", true), ("image/*", "IMAGE/PNG", true), ("IMAGE/*", "image/png", true),
            ("image/*", "images/png", false), ("text/html", " text/html ; charset=utf-8", true),
            ("text/html", "text/html5", false), ("text/html", "", false), ("image/*", "image", false),
        ]
    )
    func mediaRange(_ range: String, _ type: String, _ isContained: Bool) throws {
        #expect(try #require(MediaRange(range)).contains(type) == isContained)
    }

    @Test(
        "what isn't a media range is refused",
        arguments: ["", "*", "*/*", "image", "image/", "a/b/c", "a/b;c=d", "im*/a"]
    )
    func noMediaRange(_ text: String) {
        #expect(MediaRange(text) == nil)
    }

    @Test("GET includes HEAD, and other methods include nothing else")
    func method() {
        var match = RuleMatch()
        match.methods = ["GET"]
        let subject = URLPatternTests.subject("a")
        #expect(match.matches(method: "GET", kind: .other, subject))
        #expect(match.matches(method: "HEAD", kind: .other, subject))
        #expect(!match.matches(method: "POST", kind: .other, subject))
        match.methods = ["HEAD"]
        #expect(match.matches(method: "HEAD", kind: .other, subject))
        #expect(!match.matches(method: "GET", kind: .other, subject))
    }

    @Test("every condition must be met, by one of its values")
    func conditions() throws {
        var match = RuleMatch()
        match.paths = [try #require(URLPattern("/a/**")), try #require(URLPattern("/b/**"))]
        match.suffixes = [".mp4"]
        match.kinds = [.media, .fetch]
        let matches = { (path: String, kind: RequestKind) in
            match.matches(method: "GET", kind: kind, URLPatternTests.subject(path))
        }
        #expect(matches("a/x.mp4", .media) && matches("b/x.MP4", .fetch))
        #expect(!matches("c/x.mp4", .media) && !matches("a/x.mp3", .media) && !matches("a/x.mp4", .image))
        #expect(!matches("mp4", .media) && !matches("", .media))
    }

    @Test(
        "an address to connect to is a host with or without a port",
        arguments: [
            ("a.example", "a.example", nil), ("A.example:80", "a.example", 80), ("a:443", "a", 443),
            ("a:8443", "a", 8_443),
            ("[::1]", "[::1]", nil), ("[::1]:80", "[::1]", 80), ("10.0.0.1:1", "10.0.0.1", 1),
        ]
    )
    func connectAddress(_ text: String, _ host: String, _ port: Int?) throws {
        let address = try #require(ConnectAddress(text))
        #expect(address.host == host && address.port == port)
        #expect(ConnectAddress(address.string) == address)
    }

    @Test("a redirect leads to a URL or to a path of the bundle, wherever that is served")
    func redirect() throws {
        #expect(RuleRedirect(status: 301, place: "/a?b#c")?.location(root: "/shop/") == "/shop/a?b#c")
        #expect(RuleRedirect(status: 301, place: "/")?.location(root: "/") == "/")
        #expect(RuleRedirect(status: 301, place: "https://a/b")?.location(root: "/shop/") == "https://a/b")
        for place in ["", "a", "//a", "/\\a", "/a b", "/\u{E9}", "data:a", "/a\n"] {
            #expect(RuleRedirect(status: 301, place: place) == nil)
        }
    }
}
