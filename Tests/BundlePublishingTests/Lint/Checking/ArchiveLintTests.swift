import BundleTesting
import Foundation
import Testing

@testable import BundlePublishing

@Suite("What of a release would miss offline")
struct ArchiveLintTests {
    private static let origins = #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}]"#

    private func lint(
        _ files: [String: String],
        members: String = origins,
        allowing allowed: [String] = [],
        before: [String: String]? = nil
    ) async throws -> LintReport {
        try await withTemporaryDirectory { directory in
            func archive(_ files: [String: String], _ version: String) throws -> String {
                let manifest = #"{"name": "shop", "version": "\#(version)", \#(members)}"#
                let entries = files.sorted { $0.key < $1.key }.map { ZipFixtureEntry($0.key, Array($0.value.utf8)) }
                let zip = ZipFixture(entries + [ZipFixtureEntry("bundle.json", Array(manifest.utf8))])
                let path = directory.path(of: "\(version).zip")
                try Data(zip.bytes).write(to: URL(fileURLWithPath: path))
                return path
            }
            let previous = try before.map { try archive($0, "0.9.0") }
            return try ArchiveLint(allowing: allowed).check(archive(files, "1.0.0"), after: previous)
        }
    }

    private func codes(_ report: LintReport) -> [String] {
        report.findings.map { "\($0.code) \($0.file ?? "")\($0.line.map { ":\($0)" } ?? "")" }
    }

    @Test("a release that has all that it refers to has no findings, wherever its files lie")
    func whole() async throws {
        let files = [
            "index.html": """
            <link rel=stylesheet href=css/a.css><script type=module src=/shop/js/a.js></script><img src="a%20b.png?v=1#x">
            <a href="docs">d</a><a href="https://other.example.com/">o</a><a href="#top">t</a><img src="data:image/png,x">
            """,
            "css/a.css": "@import 'b.css'; a { background: url(../a%20b.png) }", "css/b.css": "", "a b.png": "png",
            "js/a.js": "import './b.js'; import(`//m.example.com/shop/js/b.js`)", "js/b.js": "",
            "docs/index.html": "<a href=..>",
        ]
        #expect(codes(try await lint(files)) == [])
        #expect(
            codes(try await lint(files, members: #""origins": []"#)) == ["missing index.html:1", "external js/a.js:1"]
        )
    }

    @Test("what is missing, elsewhere or refused is an error, with its place; links and source maps are hints")
    func findings() async throws {
        let files = [
            "index.html":
                "<script src=gone.js></script>\n<img src='https://cdn.example.com/a.png'>\n<a href=gone.html>",
            "a.css": "a { background: url('/shop/gone.png') }\n/*# sourceMappingURL=a.css.map */",
            "b.js": "\nimport 'react'",
            "c.html":
                "<link rel=stylesheet href=b.js><script type=module src=a.css></script><script src=data.txt></script>",
            "data.txt": "text", "blob.xyz": "\u{0}\u{1}",
        ]
        let report = try await lint(files)
        let expected: Set = [
            "missing index.html:1", "external index.html:2", "deadLink index.html:3", "missing a.css:1",
            "sourceMap a.css:2",
            "specifier b.js:2", "mediaType c.html:1", "unknownMediaType blob.xyz",
        ]
        #expect(Set(codes(report)) == expected)
        #expect(report.errorCount == report.findings.prefix { $0.isError }.count)
        #expect(report.findingCount == report.findings.count)
    }

    @Test("import maps, base and the entry page are considered")
    func resolution() async throws {
        let files = [
            "index.html": #"<script type=importmap>{"imports": {"react": "./lib/r.js", "x/": "./lib/"}}</script>"#,
            "lib/r.js": "import 'x/r.js'; import 'react'; import 'x/gone.js'", "lib/s.js": "",
            "deep/page.html": "<base href=/shop/lib/><script src=s.js></script><a href=../>",
        ]
        #expect(codes(try await lint(files)) == ["missing lib/r.js:1"])
    }

    @Test("an import map's addresses are checked, also those that no literal import uses, from the page's base")
    func addresses() async throws {
        let map = #"{"imports": {"a": "./a.js", "b": "./b.js", "c/": "./c/", "d": "https://cdn.example.com/d.js"}}"#
        let files = [
            "index.html": """
            <base href=lib/>
            <script type=importmap>\(map)</script><script type=module>import 'a'</script>
            """,
            "lib/a.js": "", "b.js": "",
        ]
        #expect(Set(codes(try await lint(files))) == ["missing index.html:2", "external index.html:2"])
    }

    @Test("a page's import map is for what this page loads, and for no other page")
    func importMaps() async throws {
        func page(_ map: String, _ script: String) -> String {
            "<script type=importmap>{\"imports\": {\(map)}}</script><script type=module src=\(script)></script>"
        }
        let files = [
            "index.html": page(#""x": "./x.js""#, "a.js"), "other.html": page(#""y": "./y.js""#, "b.js"),
            "plain.html": "<script type=module src=c.js></script>", "a.js": "import './part.js'",
            "part.js": "import 'x'", "b.js": "import 'x'", "c.js": "import 'y'", "x.js": "", "y.js": "",
            "unseen.js": "import 'x'; import 'y'",
        ]
        #expect(Set(codes(try await lint(files))) == ["specifier b.js:1", "specifier c.js:1"])
        var both = files
        both["third.html"] = page(#""y": "./y.js""#, "a.js")
        #expect(Set(codes(try await lint(both))).contains("specifier part.js:1"))
    }

    @Test("a web app manifest is read whatever its media type is, where a page has it as one")
    func linkedManifest() async throws {
        let manifest = #"{"icons": [{"src": "icon.png"}], "start_url": "."}"#
        let page = "<link rel=manifest href=manifest.json>"
        #expect(codes(try await lint(["index.html": page, "manifest.json": manifest])) == ["missing manifest.json:1"])
        #expect(codes(try await lint(["index.html": "", "manifest.json": manifest])) == [])
        let both = ["index.html": page, "a.html": page, "manifest.json": manifest]
        #expect(codes(try await lint(both)).count == 1)
    }

    @Test("a source map without the content of sources that aren't there is a hint")
    func sources() async throws {
        let map = """
            {"sources": ["a.ts", "gone.ts", "lost.ts", "webpack://app/x.ts", "had.ts"],
             "sourcesContent": [null, null, null, null, "x"]}
            """
        let files = [
            "index.html": "", "a.js": "x() //# sourceMappingURL=a.js.map", "a.js.map": map, "a.ts": "",
            "unused.map": map,
        ]
        let report = try await lint(files)
        #expect(codes(report).contains("sourceMap a.js.map"))
        #expect(!codes(report).contains { $0.contains("unused") })
        #expect(report.findings.contains { $0.message.contains("“gone.ts” and of 1 more") })
        #expect(report.errorCount == 0)
    }

    @Test("a script may make a URL of a folder that has files, and of any file by an import map")
    func folders() async throws {
        func script(_ text: String) -> String { "new URL('\(text)', import.meta.url)\n" }
        let files = [
            "index.html": #"<script type=importmap>{"imports": {"x/": "./img/"}}</script>"#,
            "js/a.js": ["../img/", "../img/deep/", ".", "/shop/"].map(script).joined()
                + "import.meta.resolve('x/deep/'); import.meta.resolve('x/deep/b.png')",
            "js/b.js": ["./img/", "../img/deep", "../im/", "../../"].map(script).joined(),
            "js/c.js": "import.meta.resolve('x/gone.png')\nimport.meta.resolve('y')", "img/deep/b.png": "png",
            "page.html": "<embed src=img/deep/>",
        ]
        let expected: Set = [
            "missing js/b.js:1", "missing js/b.js:2", "missing js/b.js:3", "external js/b.js:4", "missing js/c.js:1",
            "specifier js/c.js:2", "missing page.html:1",
        ]
        #expect(Set(codes(try await lint(files))) == expected)
        let own = ["index.html": "", "js/a.js": script("../img/") + script("../gone/"), "img/a.png": "png"]
        #expect(codes(try await lint(own, members: #""origins": []"#)) == ["missing js/a.js:2"])
        let members = #""origins": [{"url": "https://a.test/x/", "path": "/js/"}]"#
        let scripts = ["index.html": "", "js/a.js": script("./sub/") + script("../js/"), "js/sub/b.txt": ""]
        #expect(codes(try await lint(scripts, members: members)) == ["external js/a.js:2"])
    }

    @Test("what is no URL is a hint, and other schemes than those of the web are nothing")
    func invalidURLs() async throws {
        let page = """
            <img src='https://[x/'>
            <a href='mailto:a b@c'>m</a><a href='javascript:a[%'>j</a><img src='data:x,%zz'>
            """
        #expect(codes(try await lint(["index.html": page])) == ["invalidURL index.html:1"])
    }

    @Test("what the manifest provides for is no finding")
    func providedFor() async throws {
        let page = "<img src=api/a.png><img src=ahead.png><img src='https://cdn.example.com/x.png'><a href=route/1>"
        let members =
            Self.origins + #"""
                , "network": {"rules": [{"match": {"path": "/api/**"}, "strategy": "network-first"}],
                "precache": ["https://m.example.com/shop/ahead.png"]}, "fallback": {"file": "index.html"}
                """#
        let report = try await lint(["index.html": page], members: members, allowing: ["https://cdn.example.com/"])
        #expect(codes(report) == [])
        #expect(try await lint(["index.html": page]).errorCount == 3)
    }

    @Test("a release without its default entry page gets a hint")
    func entry() async throws {
        let report = try await lint(["a.txt": "a"])
        #expect(codes(report) == ["entry "])
        #expect(report.errorCount == 0)
    }

    @Test("the sizes are told by media type, beside those of the version before")
    func sizes() async throws {
        let report = try await lint(
            ["a.js": "12345", "b.js": "1", "c.css": "12"],
            before: ["a.js": "123", "d.txt": "1234"]
        )
        let sizes = report.sizes.filter { $0.mediaType != "application/json" }.map {
            "\($0.mediaType) \($0.fileCount) \($0.byteCount) \($0.byteCountBefore ?? -1)"
        }
        #expect(sizes == ["text/javascript 2 6 3", "text/css 1 2 0", "text/plain 0 0 4"])
        #expect(try await lint(["a.js": "1"]).sizes.allSatisfy { $0.byteCountBefore == nil })
    }

    @Test("of many findings the first are kept, and all are counted; equal ones of a file count once")
    func many() async throws {
        let page = (0..<2_500).map { "<img src=\($0).png>" }.joined()
        let report = try await lint(["index.html": page + page])
        #expect(report.findings.count == LintLimits.maximumFindingCount)
        #expect(report.findingCount == 2_500)
    }
}
