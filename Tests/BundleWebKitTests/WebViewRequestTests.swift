import BundleWebKit
import HTTPTypes
import OfflineBundles
import Testing

@Suite("Requests of a web view")
struct WebViewRequestTests {
    @Test("fields of the connection stay behind, and the URL's parts come from the URL")
    func fields() throws {
        let fields = [
            (name: "Host", value: "evil.example"), (name: "Connection", value: "keep-alive"),
            (name: "Cookie", value: "a=b"),
            (name: "Transfer-Encoding", value: "chunked"), (name: "bad name", value: "x"),
            (name: "Content-Length", value: "9"),
        ]
        let request = try #require(
            WebViewRequest(
                method: "POST",
                url: "https://m.example.com:443/a?b=c",
                fields: fields,
                content: URLRequestContent([1, 2])
            )
        )
        #expect(request.request.authority == "m.example.com")
        #expect(request.request.path == "/a?b=c")
        #expect(request.request.headerFields == [.cookie: "a=b", .contentLength: "2"])
        #expect(request.content.body?.arrived == [1, 2])
        #expect(WebViewRequest(method: "GET", url: "ftp://a/", fields: []) == nil)
        #expect(WebViewRequest(method: "G T", url: "https://a/", fields: []) == nil)
    }

    @Test(
        "a switch of protocols is asked for only where it can be passed on",
        arguments: [
            ("keep-alive, Upgrade", true, "websocket"), ("Upgrade", false, nil), ("keep-alive", true, nil),
        ]
    )
    func upgrade(_ connection: String, _ mayUpgrade: Bool, _ expected: String?) throws {
        let fields = [(name: "Connection", value: connection), (name: "Upgrade", value: "websocket")]
        let request = WebViewRequest(method: "GET", url: "https://a.example/", fields: fields, mayUpgrade: mayUpgrade)
        #expect(try #require(request).request.headerFields[.upgrade] == expected)
        #expect(try #require(request).request.headerFields[.connection] == (expected == nil ? nil : "Upgrade"))
    }

    @Test(
        "what a user sees is a page",
        arguments: [
            ("Sec-Fetch-Dest", "document", true), ("Sec-Fetch-Dest", "iframe", true),
            ("Sec-Fetch-Dest", "image", false),
            ("Accept", "text/html,application/xhtml+xml", true), ("Accept", "*/*", false), ("X-Other", "1", false),
        ]
    )
    func page(_ name: String, _ value: String, _ isPage: Bool) throws {
        let request = WebViewRequest(method: "GET", url: "https://a.example/", fields: [(name: name, value: value)])
        #expect(try #require(request).isPage == isPage)
    }
}
