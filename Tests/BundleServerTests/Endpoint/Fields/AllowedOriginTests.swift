import BundleServer
import Testing

@Suite("AllowedOrigin")
struct AllowedOriginTests {
    @Test(
        "an origin is parsed as a browser sends it",
        arguments: [
            ("https://App.example", "https://app.example"), ("https://app.example:443", "https://app.example"),
            ("http://[::1]:3000", "http://[::1]:3000"), ("capacitor://localhost", "capacitor://localhost"),
            ("NULL", "null"),
        ]
    )
    func named(_ text: String, _ expected: String) {
        #expect(AllowedOrigin(text) == .named(expected))
    }

    @Test("a star is any")
    func any() {
        #expect(AllowedOrigin("*") == .any)
    }

    @Test(
        "anything else is nil",
        arguments: [
            "", "app.example", "https://", "https://a/", "https://u@a", "https://a?q", "://a", "9p://a", "a b://c",
        ]
    )
    func invalid(_ text: String) {
        #expect(AllowedOrigin(text) == nil)
    }
}
