import BundleTesting
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("A path that another server could interpret as having dot segments")
struct HiddenDotSegmentTests {
    @Test(
        "is detected in every spelling",
        arguments: [
            "..;", "..;x", "..;a=b;c", ".;", ".;x", "%2e%2e;", "%2E.;x", "..%3b", "%2e%2e%3Bx", "..%253b", "%252e%252e",
            "%25252e%25252e", ".%252e", "a%5c..%5cb", "a\\..\\b", "a%252f..%252fb", "..%252f", "%252e%252e%252fetc",
            "..%20", "%20..", ".%09.", "..%2500", "%EF%BC%8E%EF%BC%8E", "%E2%80%A5", "a%EF%BC%8F..%EF%BC%8Fb",
            "..%EF%BC%9Bx", "%2525252525252525252525252e",
            // Characters that end a name on other servers.
            "..%3f", "..%3Fx=1", "..%253f", "..%23", "..%2523x", ".%3f", "..:", "..::$DATA", "..%3a%3a$DATA", "..%253a",
            ".:x",
            "..%EF%BC%9A", "..%00.js", "..%2500.js",
            // Invisible characters.
            ".%e2%80%8b.", "%e2%80%8b..", "..%c2%ad", ".%25c2%25ad.", "..%ef%bb%bf", "..%e2%80%ae", ".%cd%8f.",
            "..%c2%85",
            // Other full stops.
            "%e3%80%82%e3%80%82", ".%e3%80%82", "%ef%bd%a1.", "%e3%80%82", "%25e3%2580%2582.",
        ]
    )
    func present(component: String) {
        #expect(HiddenDotSegment.isPresent(in: ["a", Substring(component), "secret"]))
    }

    @Test(
        "isn't one that merely has dots, parameters or other characters",
        arguments: [
            "...", "a..", "..a", ".well-known", "a;..", "app.do;jsessionid=1", ";jsessionid=1", "a%20b",
            "caf%C3%A9", "100%25", "%E4%BD%A0%E5%A5%BD", "..a;b", "a%3Bb", "[...slug].js", "%5B...slug%5D.js", "%",
            "%4", "%zz", "a:b", ":", "::$DATA", ":..", "urn:x:..", "a%3a..", "...:", "..a:b", "%3f", "a%3f..", "%23",
            "a%23b",
            "%e3%80%82%e3%80%82%e3%80%82", "%e2%80%8b", "a%c2%adb", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80",
            "%2e%2e%2e",
        ] as [Substring]
    )
    func absent(component: Substring) {
        #expect(!HiddenDotSegment.isPresent(in: ["a", component]))
    }

    @Test("isn't requested from an origin, though the bundle may have a file of this name")
    func originURL() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(files: ["a.js", "..;x"])
            let target = try #require(RequestTarget("/shop/..;/secret", host: nil))
            let match = try #require(fixture.resolver().match(target, isNavigation: false))
            #expect(match.isAmbiguous)
            #expect(match.originURL == nil)
            #expect(fixture.resolver().outcome("/shop/..;x", host: nil) == "..;x")
        }
    }
}
