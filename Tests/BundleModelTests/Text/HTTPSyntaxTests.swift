import Testing

@testable import BundleModel

@Suite("HTTPSyntax")
struct HTTPSyntaxTests {
    @Test(
        "a media type is accepted",
        arguments: [
            "text/html", "image/svg+xml", "application/vnd.api+json", "text/html;charset=utf-8",
            "text/html ; charset=utf-8",
            "text/html; charset=\"utf-8\"; a=b", "a/b; c=\"x;y\\\"z\"", "a/b; c=\"\"",
        ]
    )
    func mediaType(_ text: String) {
        #expect(HTTPSyntax.isMediaType(text))
    }

    @Test(
        "text that isn't a media type is refused",
        arguments: [
            "", "html", "text/", "/html", "text/html/x", "text /html", "text/html;", "text/html; charset",
            "text/html; =x",
            "text/html; a=", "text/html; a=\"x", "text/html; a=\"x\"y\"", "text/html; a=\"x\\\"", "text/html\r\nX: y",
            "a/é",
            "text/html; a b=c", " text/html",
        ]
    )
    func notMediaType(_ text: String) {
        #expect(!HTTPSyntax.isMediaType(text))
    }
}
