import BundleTesting
import HTTPTypes
import OfflineBundles
import Testing

@testable import BundleWebKit

@Suite("Redirects of a custom scheme")
struct SchemeRedirectTests {
    @Test(
        "a redirect is followed within the bundle, navigates a page, and leads nothing else elsewhere",
        arguments: [
            (301, "/shop/b?c", "GET", false, "GET bundle://shop/b?c +"),
            (302, "b", "GET", false, "GET bundle://shop/a/b +"),
            (308, "https://cdn.example/files/x", "GET", false, "GET bundle://shop/assets/x +"),
            (303, "b", "POST", false, "GET bundle://shop/a/b"), (302, "b", "POST", false, "GET bundle://shop/a/b"),
            (307, "b", "POST", false, "POST bundle://shop/a/b +"), (302, "b", "PUT", false, "PUT bundle://shop/a/b +"),
            (303, "b", "HEAD", false, "HEAD bundle://shop/a/b +"),
            (301, "https://other.example/", "GET", false, "refuse"), (301, "/elsewhere", "GET", false, "refuse"),
            (301, "b/", "GET", true, "bundle://shop/a/b/"), (303, "b", "POST", true, "bundle://shop/a/b"),
            (307, "b", "POST", true, "POST bundle://shop/a/b +"),
            (301, "https://other.example/", "GET", true, "https://other.example/"),
            (301, "//other.example/", "GET", true, "https://other.example/"),
            (301, "javascript:alert(1)", "GET", true, "refuse"), (301, "file:///etc/passwd", "GET", true, "refuse"),
            (200, "b", "GET", false, nil), (201, "b", "POST", false, nil), (304, "b", "GET", false, nil),
        ]
    )
    func decision(_ status: Int, _ location: String, _ method: String, _ isPage: Bool, _ expected: String?) throws {
        let head = HTTPResponse(status: .init(code: status), headerFields: [.location: location])
        let accept = [(name: "Accept", value: isPage ? "text/html" : "*/*")]
        let request = WebViewRequest(method: method, url: "https://m.example.com/shop/a/", fields: accept)
        let redirect = SchemeRedirect(
            head,
            to: try #require(request),
            of: try #require(BundleSchemeURL("bundle://shop/a/")),
            in: BundleSchemeURLTests.mappings
        )
        #expect(redirect.map(Self.text) == expected)
    }

    @Test("a request that follows has the fields of the one before, and the content's only with the content")
    func followed() throws {
        let fields = [
            (name: "Accept", value: "a/b"), (name: "Content-Type", value: "c/d"),
            (name: "Sec-Fetch-Dest", value: "image"),
        ]
        let first = WebViewRequest(
            method: "POST",
            url: "https://a.example/",
            fields: fields,
            content: URLRequestContent([1])
        )
        let kept = try #require(first?.redirected(to: "https://a.example/b", .post, keepsContent: true))
        #expect(kept.request.headerFields[.contentType] == "c/d")
        #expect(kept.request.path == "/b")
        #expect(kept.content.body?.arrived == [1])
        let dropped = try #require(first?.redirected(to: "https://a.example/b", .get, keepsContent: false))
        #expect(dropped.request.headerFields[.contentType] == nil)
        #expect(dropped.request.headerFields[.contentLength] == nil)
        #expect(dropped.request.headerFields[.accept] == "a/b")
        #expect(dropped.content.body == nil)
    }

    @Test("an address in a page that navigates is text")
    func page() {
        let page = RedirectPage.html(#"https://a.example/"><script>alert(1)</script>&"#)
        #expect(!page.contains("<script>alert"))
        #expect(page.contains("https://a.example/&quot;>&lt;script>"))
    }

    private static func text(_ redirect: SchemeRedirect) -> String {
        switch redirect {
        case .follow(let url, let method, let keepsContent):
            "\(method) \(BundleSchemeURL.scheme)://\(url.name)\(url.target)\(keepsContent ? " +" : "")"
        case .navigate(let address): address
        case .refuse: "refuse"
        }
    }
}
