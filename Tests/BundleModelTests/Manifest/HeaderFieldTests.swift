import Testing

@testable import BundleModel

@Suite("HeaderField")
struct HeaderFieldTests {
    @Test(
        "a field that a manifest may set is accepted",
        arguments: [("X-Frame-Options", "DENY"), ("cache-control", "no-store"), ("X-Empty", ""), ("X", "a\tb c")]
    )
    func acceptance(_ name: String, _ value: String) {
        #expect(HeaderField(name: name, value: value) != nil)
    }

    @Test(
        "a field that would break a response or contradict the server is refused",
        arguments: [
            ("", "x"), ("X Y", "x"), ("X:", "x"), ("É", "x"), ("X\r\n", "x"), ("X", "a\r\nSet-Cookie: b"),
            ("X", "a\nb"), ("X", "a\0"),
            ("X", "é"), ("X", " a"), ("X", "a "), ("X", "\t"), ("Content-Length", "1"), ("content-TYPE", "text/html"),
            ("ETag", "\"x\""), ("Transfer-Encoding", "chunked"), ("Vary", "*"), ("Cache-Status", "x"),
            ("TE", "trailers"),
        ]
    )
    func refusal(_ name: String, _ value: String) {
        #expect(HeaderField(name: name, value: value) == nil)
    }
}
