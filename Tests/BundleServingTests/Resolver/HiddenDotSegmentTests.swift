import BundleTesting
import Testing

@testable import BundleServing

@Suite("A path that another server could read with dot segments")
struct HiddenDotSegmentTests {
    @Test(
        "is found in every disguise",
        arguments: [
            "..;", "..;x", "..;a=b;c", ".;", ".;x", "%2e%2e;", "%2E.;x", "..%3b", "%2e%2e%3Bx", "..%253b", "%252e%252e",
            "%25252e%25252e", ".%252e", "a%5c..%5cb", "a\\..\\b", "a%252f..%252fb", "..%252f", "%252e%252e%252fetc",
            "..%20", "%20..", ".%09.", "..%2500", "%EF%BC%8E%EF%BC%8E", "%E2%80%A5", "a%EF%BC%8F..%EF%BC%8Fb",
            "..%EF%BC%9Bx", "%2525252525252525252525252e",
        ]
    )
    func present(component: String) {
        #expect(HiddenDotSegment.isPresent(in: ["a", Substring(component), "secret"]))
    }

    @Test(
        "is none that merely has dots, parameters or other characters",
        arguments: [
            "...", "a..", "..a", ".well-known", "a;..", "app.do;jsessionid=1", ";jsessionid=1", "a%20b",
            "caf%C3%A9", "100%25", "%E4%BD%A0%E5%A5%BD", "..a;b", "a%3Bb", "[...slug].js", "%5B...slug%5D.js", "%",
            "%4", "%zz",
            "%2e%2e%2e",
        ] as [Substring]
    )
    func absent(component: Substring) {
        #expect(!HiddenDotSegment.isPresent(in: ["a", component]))
    }

    @Test("is asked of no origin, though the bundle may have a file of this name")
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
