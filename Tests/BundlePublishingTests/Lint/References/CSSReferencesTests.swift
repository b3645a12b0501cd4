import Testing

@testable import BundlePublishing

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
            ("@import \"a.css\" layer();@import'b.css'layer(x)supports(c:url(d));", ["style a.css", "style b.css"]),
            ("@import url(\"a.css\")layer(b)screen;c{d:url(e)}", ["style a.css", "image e"]),
            ("@counter-style a{symbols:url(b.png)}", ["image b.png"]),
            ("a{content:'b\\\r\nc';d:url(e)}", ["image e"]), ("a{content:'b\nc:url(d)}", ["image d"]),
        ]
    )
    func references(_ css: String, _ references: [String]) {
        #expect(find(css) == references)
    }

    @Test(
        "a string is a URL in image-set(), where it isn't a type",
        arguments: [
            (#"a{b:image-set("c.png" 1x,"d.png" 2x)}"#, ["image c.png", "image d.png"]),
            (#"a{b:-webkit-image-set('c.png' 1x)}"#, ["image c.png"]),
            (
                #"a{b:IMAGE-SET("c.avif" type("image/avif"),"d.png" type("image/png"))}"#,
                ["image c.avif", "image d.png"]
            ),
            (#"a{b:cross-fade(image-set("c.png" calc(1x*(1 + 1)),url(d.png)),"e")}"#, ["image c.png", "image d.png"]),
            (#"a{b:my-image-set("c")}d{e:image-set f("g")}"#, []),
            (#"a{b:image-set("c" 1x}d{e:"f"}"#, ["image c"]), (#"a{b:image-set("c;d" 1x);e:"f"}"#, ["image c;d"]),
        ]
    )
    func imageSets(_ css: String, _ references: [String]) {
        #expect(find(css) == references)
    }

    @Test(
        "what only names something in an at-rule isn't fetched, and what follows it is",
        arguments: [
            "@namespace svg url(http://www.w3.org/2000/svg);", "@namespace url('http://www.w3.org/1999/xhtml');",
            "@namespace 'http://www.w3.org/1999/xhtml';", "@document url(http://a.example/),url-prefix('http://b/'){}",
            "@-moz-document url(http://a.example/) {} ", "@supports (background: url(b)){}",
            "@supports (background:image-set('b' 1x)) and (c:d){}", "@NAMESPACE url(b);", "@unknown url(b)}",
        ]
    )
    func preludes(_ css: String) {
        #expect(find(css) == [])
        #expect(find(css + "a{b:url(c)}") == ["image c"])
        #expect(find(css + "@import 'c'") == ["style c"])
    }

    @Test(
        "a sheet that ends anywhere is read to its end",
        .timeLimit(.minutes(5)),
        arguments: [
            String(repeating: "/*", count: 50_000), String(repeating: "url(", count: 50_000),
            String(repeating: "@import '", count: 20_000),
            String(repeating: "image-set(", count: 50_000), String(repeating: "image-set('", count: 50_000),
            String(repeating: "(", count: 100_000), String(repeating: ")", count: 100_000),
            String(repeating: "@import url('a' ", count: 20_000), "image-set(\"", "@namespace url(",
            String(repeating: "\\", count: 100_000), "url('", "@", "'\\",
        ]
    )
    func hostile(_ css: String) {
        _ = find(css)
    }
}
