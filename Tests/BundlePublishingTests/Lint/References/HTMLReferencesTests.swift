import Testing

@testable import BundlePublishing

@Suite("What a page refers to")
struct HTMLReferencesTests {
    private func find(_ html: String) -> [String] {
        HTMLReferences.find(in: Array(html.utf8)).list.map { "\($0.kind) \($0.text)" }
    }

    @Test(
        "attributes with URLs, however they are written",
        arguments: [
            (#"<img src="a.png">"#, ["image a.png"]), ("<IMG SRC=a.png>", ["image a.png"]),
            ("<img alt='>' src = 'a.png'/>", ["image a.png"]),
            (#"<img src="a.png?x=1&amp;y=2&#38;z">"#, ["image a.png?x=1&y=2&z"]),
            ("<img src=a.png src=b.png>", ["image a.png"]), ("<img\nsrc=a.png\n>", ["image a.png"]),
            ("<a href=b.html>", ["link b.html"]), ("<iframe src=f.html></iframe>", ["frame f.html"]),
            ("<video src=v.mp4 poster=p.jpg><track src=t.vtt>", ["media v.mp4", "image p.jpg", "media t.vtt"]),
            ("<object data=o.svg><embed src=e>", ["other o.svg", "other e"]),
            ("<svg><use xlink:href='s.svg#x'/><image href=i.png /></svg>", ["image s.svg#x", "image i.png"]),
            ("<script src=a.js></script><script type=module src=b.js></script>", ["script a.js", "module b.js"]),
            ("<script type=text/template src=a.js></script>", []), ("<p title='src=a.png'>", []),
            ("<div style=\"background: url('b.png')\">", ["image b.png"]),
            ("<style>p { background: url(c.png) }</style>", ["image c.png"]),
            ("<script type=module>import './m.js'</script>", ["specifier ./m.js"]),
            ("<script>import('./lazy.js')</script>", ["specifier ./lazy.js"]),
            ("<img srcset='a.png 1x, b.png 2x'>", ["image a.png", "image b.png"]),
            ("<img", ["image x"].filter { _ in false }),
            ("<input type=IMAGE src=a.png><input type=text src=b.png><input src=c.png>", ["image a.png"]),
            ("<link rel=preload as=image imagesrcset='a.png 1x, b.png 2x'>", ["image a.png", "image b.png"]),
            ("<table background=a.png><tr><td background=b.png>", ["image a.png", "image b.png"]),
            ("<svg><feImage href=a.png /><script xlink:href=a.js /></svg>", ["image a.png", "script a.js"]),
            ("<svg><script href='b.js'>import 'x'</script><a xlink:href=c.html>", ["script b.js", "link c.html"]),
            ("<picture><source srcset='a.avif, b.avif 2x' type=image/avif>", ["image a.avif", "image b.avif"]),
            ("<a href=a.html ping=/ping><blockquote cite=b>", ["link a.html"]),
            ("<form action=a.html><form action=b method=POST><form action=c method=dialog>", ["link a.html"]),
            ("<button formaction=a formmethod=GET><input formaction=b formmethod=post>", ["link a"]),
            ("<button formaction=a>", []),
        ]
    )
    func attributes(_ html: String, _ references: [String]) {
        #expect(find(html) == references)
    }

    @Test(
        "links that a page needs, and no others",
        arguments: [
            ("stylesheet", "style"), ("icon", "image"), ("shortcut icon", "image"), ("manifest", "manifest"),
            ("modulepreload", "module"), ("preload", "other"), ("apple-touch-startup-image", "image"),
            ("apple-touch-icon-precomposed", "image"), ("alternate stylesheet", "style"), ("canonical", nil),
            ("alternate", nil),
            ("preconnect", nil), ("", nil),
        ] as [(String, String?)]
    )
    func links(_ relation: String, _ kind: String?) {
        #expect(find("<link rel='\(relation)' href=x>") == (kind.map { ["\($0) x"] } ?? []))
    }

    @Test(
        "comments, texts and scripts have no tags",
        arguments: [
            "<!-- <img src=a> -->", "<!--><!-- <img src=a> -->", "<script>var x = '<img src=a>'</script>",
            "<textarea><img src=a></textarea>", "<title><img src=a></title>", "<style>/* <img src=a> */</style>",
            "<!doctype <img src=a",
            "</p <img src=a>", "< img src=a>", "<script>'</scriptx><img src=a>'</script>",
        ]
    )
    func texts(_ html: String) {
        #expect(find(html) == [])
    }

    @Test(
        "a document in srcdoc is searched, in the place of src",
        arguments: [
            ("<iframe srcdoc=\"<img src='a.png'>\" src=b.html></iframe>", ["image a.png"]),
            ("<iframe srcdoc='&lt;script src=&quot;a.js&quot;&gt;&lt;/script&gt;'></iframe>", ["script a.js"]),
            ("<iframe srcdoc=&lt;img&#32;src=a.png&gt;></iframe>", ["image a.png"]),
            ("<iframe srcdoc='<iframe srcdoc=\"<img src=a.png>\"></iframe>'></iframe>", ["image a.png"]),
            ("<iframe srcdoc='<style>a{b:url(c)}</style>'></iframe><img src=d>", ["image c", "image d"]),
            ("<iframe srcdoc='<base href=/b/><img src=a>'></iframe><img src=d>", ["image d"]),
            ("<iframe srcdoc></iframe><iframe srcdoc='<img src='></iframe>", ["image "]), ("<iframe srcdoc='<img", []),
        ]
    )
    func framedDocuments(_ html: String, _ references: [String]) {
        #expect(find(html) == references)
    }

    @Test("documents in documents are searched to a bounded depth, and their lines are those of the file")
    func nestedDocuments() {
        func page(_ depth: Int) -> String {
            (0..<depth).reduce("\n<img src=a>") { inner, _ in
                let text = inner.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
                return "\n<iframe srcdoc=\"\(text)\"></iframe>"
            }
        }
        let deepest = HTMLReferences.find(in: Array(page(LintLimits.maximumDocumentDepth).utf8))
        #expect(deepest.list.map(\.line) == [LintLimits.maximumDocumentDepth + 2])
        #expect(find(page(LintLimits.maximumDocumentDepth + 1)) == [])
        #expect(find(page(LintLimits.maximumDocumentDepth + 50)) == [])
    }

    @Test("the import map of a document in a frame counts, behind the page's own")
    func framedImportMap() {
        func map(_ imports: String) -> String { "<script type=importmap>{\"imports\": {\(imports)}}</script>" }
        let html = map(#""a": "./a.js""#) + "<iframe srcdoc='\(map(#""a": "./x.js", "b": "./b.js""#))'></iframe>"
        #expect(HTMLReferences.find(in: Array(html.utf8)).imports == ["a": "./a.js", "b": "./b.js"])
    }

    @Test("the lines are those of the file, in scripts and styles too")
    func lines() {
        let html = "<p>\n<img src=a>\n<style>\n@import 'b';\n</style><script type=module>\n\nimport 'c'</script>"
        #expect(HTMLReferences.find(in: Array(html.utf8)).list.map(\.line) == [2, 4, 7])
    }

    @Test("the first base and all import maps count")
    func base() {
        let html = """
            <base href=/app/><base href=/other/><script type=importmap>{"imports": {"a": "./a.js"}, "scopes":
            {"/x/": {"b": "./b.js", "a": "./c.js"}}}</script><script type=importmap>{</script>
            """
        let references = HTMLReferences.find(in: Array(html.utf8))
        #expect(references.base == "/app/")
        #expect(references.imports == ["a": "./a.js", "b": "./b.js"])
        #expect(references.list.map(\.text) == ["./a.js", "./b.js"])
        #expect(references.list.allSatisfy { $0.kind == .module })
    }

    @Test(
        "a page that ends anywhere, or is no page, is read to its end",
        .timeLimit(.minutes(5)),
        arguments: [
            String(repeating: "<", count: 100_000), String(repeating: "<script>", count: 20_000),
            String(repeating: "<!--", count: 50_000), String(repeating: "<a href=\"", count: 20_000),
            String(repeating: "<p a=1 ", count: 20_000), "<img src=", "<img src='", "<script", "<script>import('",
            "<!-", "&", "<a href=&#x", String(repeating: "<iframe srcdoc='", count: 20_000),
            String(repeating: "<iframe srcdoc=<iframe&#32;srcdoc=", count: 10_000),
            String(repeating: "&", count: 100_000),
        ]
    )
    func hostile(_ html: String) {
        let bytes = Array(html.utf8)
        _ = HTMLReferences.find(in: bytes)
        for count in stride(from: 0, to: min(bytes.count, 64), by: 1) {
            _ = HTMLReferences.find(in: Array(bytes.prefix(count)))
        }
        _ = HTMLReferences.find(in: Array("<a href='".utf8) + bytes + Array("'>".utf8))
    }
}
