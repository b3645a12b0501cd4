import Testing

@testable import BundlePublishing

@Suite("A page that leads to another one by itself")
struct MetaRefreshTests {
    @Test(
        "has its URL in the content, however it is written",
        arguments: [
            ("5; url=next.html", "next.html"), ("0;URL=next.html", "next.html"), ("0,url = next.html", "next.html"),
            (" 1.5 ; url='a b.html' x", "a b.html"), ("0;url=\"a'b\"", "a'b"), ("0;url='a", "a"),
            ("3 next.html", "next.html"), ("3; next.html", "next.html"), ("0;urls.html", "urls.html"),
            ("0; url", "url"), ("0;;a", ";a"), ("5", nil), ("5;", nil), ("5; url=", nil), ("", nil),
            ("next.html", nil), ("; url=a", nil), ("5x", nil),
        ] as [(String, String?)]
    )
    func urls(_ content: String, _ url: String?) {
        #expect(MetaRefresh.url(content) == url)
    }

    @Test("is a link of the page")
    func links() {
        let html = "<meta http-equiv=Refresh content='5; url=next.html'><meta name=refresh content='5; url=a.html'>"
        let found = HTMLReferences.find(in: Array(html.utf8)).list
        #expect(found == [Reference("next.html", .link, line: 1)])
    }
}
