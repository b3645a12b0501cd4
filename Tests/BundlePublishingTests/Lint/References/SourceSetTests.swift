import Testing

@testable import BundlePublishing

@Suite("srcset")
struct SourceSetTests {
    @Test(
        "each candidate has a URL",
        arguments: [
            ("a.png", ["a.png"]), ("a.png 1x, b.png 2x", ["a.png", "b.png"]), ("a.png,b.png", ["a.png,b.png"]),
            ("a.png, b.png", ["a.png", "b.png"]), (" a.png 100w 1h,\n b.png", ["a.png", "b.png"]), ("", []),
            (" , ,", []),
            ("data:image/png;base64,AA== 1x, b.png", ["data:image/png;base64,AA==", "b.png"]),
            ("a.png f(1,2), b.png", ["a.png", "b.png"]),
        ]
    )
    func urls(_ text: String, _ urls: [String]) {
        #expect(SourceSet.urls(text) == urls)
    }
}
