import BundleNetwork
import HTTPCore
import HTTPTypes
import Testing

@Suite("Requests to the origin")
struct OriginRequestTests {
    private let target = OriginTarget("https://m.example.com/shop/a.js")!

    private func make(_ lines: [(String, String)], pseudonym: String? = nil) -> HTTPFields {
        OriginRequest.make(from: CacheExchange.get(lines), target: target, pseudonym: pseudonym).headerFields
    }

    @Test("the client's method is kept", arguments: [HTTPRequest.Method.get, .head])
    func method(method: HTTPRequest.Method) {
        var request = CacheExchange.get()
        request.method = method
        #expect(OriginRequest.make(from: request, target: target).method == method)
    }

    @Test(
        "fields about the client's connection or its own copy aren't forwarded",
        arguments: [
            "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding",
            "Upgrade", "X-Listed", "Host", "Content-Length", "Expect", "Range", "If-Range", "If-Match", "If-None-Match",
            "If-Modified-Since", "If-Unmodified-Since", "Available-Dictionary", "Dictionary-ID",
            // Servers that follow CGI treat these as the same.
            "Transfer_Encoding", "Content_Length", "If_None_Match", "Accept_Encoding", "Accept.Encoding", "Keep_Alive",
        ]
    )
    func dropped(name: String) {
        let fields = make([("connection", "keep-alive, X-Listed"), (name, "1"), ("Kept", "2")])
        #expect(!fields.contains(HTTPField.Name(name)!))
        #expect(fields[HTTPField.Name("Kept")!] == "2")
    }

    @Test(
        "RFC 9110 §7.6: everything else is forwarded",
        arguments: [
            "Accept", "Accept-Language", "Authorization", "Cache-Control", "Cookie", "Origin", "Referer", "User-Agent",
            "Sec-Fetch-Dest", "X-Unknown", "Via", "X-CSRF-Token", "X-Requested-With", "X-Api-Key", "X-Request-ID",
            "X-Correlation-ID", "traceparent", "X_Api_Key", "X-Auth-Token", "X-App-Version", "CDN-Loop",
            "HTTP2-Settings",
        ]
    )
    func forwarded(name: String) {
        #expect(make([(name, "1")])[values: HTTPField.Name(name)!] == ["1"])
    }

    @Test(
        "content without codings is requested from the origin",
        arguments: [[], [("Accept-Encoding", "gzip"), ("accept-encoding", "br")]]
    )
    func identity(lines: [(String, String)]) {
        #expect(make(lines)[values: .acceptEncoding] == ["identity"])
    }

    @Test("RFC 9110 §7.6.3: a gateway adds itself to Via, after earlier ones")
    func via() {
        #expect(make([("Via", "1.0 fred")], pseudonym: "shop")[values: .via] == ["1.0 fred", "1.1 shop"])
        #expect(!make([]).contains(.via))
    }

    @Test("§4.1: the codings that clients accept don't select stored responses, because the origin never sees them")
    func selection() {
        let from = { (coding: String) in
            OriginRequest.make(from: CacheExchange.get([("Accept-Encoding", coding)]), target: target)
        }
        var exchange = CacheExchange([("Vary", "Accept-Encoding")])
        exchange.request = from("gzip")
        #expect(exchange.stored().matches(from("br")))
    }
}
