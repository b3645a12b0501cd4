import Testing

@testable import BundleModel

@Suite("OriginURL")
struct OriginURLTests {
    @Test(
        "spellings of one prefix become one URL",
        arguments: [
            ("https://m.example.com", "https://m.example.com/"),
            ("HTTPS://M.Example.COM:443/", "https://m.example.com/"),
            ("http://a:80/x", "http://a/x/"), ("http://a:443/x/", "http://a:443/x/"), ("https://a:", "https://a/"),
            ("https://a:08443/", "https://a:8443/"), ("http://[::1]:8080/x", "http://[::1]:8080/x/"),
            ("http://[FE80::A]", "http://[fe80::a]/"), ("http://127.0.0.1:1", "http://127.0.0.1:1/"),
            ("https://a/%73hop/", "https://a/shop/"), ("https://a/my%20shop", "https://a/my%20shop/"),
            ("https://a/cafe%CC%81", "https://a/caf%C3%A9/"), ("https://a/café", "https://a/caf%C3%A9/"),
            ("https://a/%2541", "https://a/%2541/"), ("https://my_host-1.local/a/b", "https://my_host-1.local/a/b/"),
            ("https://a/a;b=1,2/@x:y", "https://a/a%3Bb%3D1%2C2/%40x%3Ay/"),
        ]
    )
    func normalisation(_ text: String, _ expected: String) throws {
        let url = try OriginURL(text)
        #expect(url.description == expected)
        #expect(try OriginURL(url.description) == url)
    }

    @Test(
        "a URL that isn't an origin's is refused with its reason",
        arguments: [
            ("", .notHTTP), ("ftp://x", .notHTTP), ("m.example.com", .notHTTP), ("//a/b", .notHTTP),
            ("http:/a", .notHTTP),
            ("http:a", .notHTTP), ("file:///etc", .notHTTP), ("https", .notHTTP), ("https:", .notHTTP),
            (" https://a", .notHTTP),
            ("https://", .host), ("https:///x", .host), ("https://:80", .host), ("https://a..b", .host),
            ("https://a.", .host),
            ("https://[::1", .host), ("https://[1]", .host), ("https://[::g]", .host), ("https://a%41", .host),
            ("https://a:b:80", .port), ("https://a:0", .port), ("https://a:65536", .port), ("https://a:+1", .port),
            ("https://a:99999999999999999999", .port), ("https://a:8x", .port), ("https://u@a", .userInformation),
            ("https://u:p@a/", .userInformation), ("https://bücher.example", .hostNotASCII), ("https://a/?x", .query),
            ("https://a?x", .query), ("https://a/#x", .fragment), ("https://a?b#x", .fragment),
            ("https://a/b c", .character),
            ("https://a/\n", .character), ("https://a\\b", .character), ("https://a/\0", .character),
            ("https://a/{x}", .character),
            ("https://a//", .path), ("https://a/b//c", .path), ("https://a/../b", .path), ("https://a/%2e%2e/b", .path),
            ("https://a/.", .path), ("https://a/%2F", .path), ("https://a/%5C", .path), ("https://a/%", .path),
            ("https://a/%4", .path), ("https://a/%zz", .path), ("https://a/%ff", .path), ("https://a/%00", .path),
            ("https://" + String(repeating: "a.", count: 200) + "a", .host),
            ("https://" + String(repeating: "a", count: 64), .host),
        ] as [(String, OriginURLError.Reason)]
    )
    func refusal(_ text: String, _ reason: OriginURLError.Reason) {
        let error = #expect(throws: OriginURLError.self) { try OriginURL(text) }
        #expect(error == OriginURLError(url: text, reason: reason))
    }

    @Test("every reason is explained in one printable line", arguments: OriginURLError.Reason.allCases)
    func explanation(_ reason: OriginURLError.Reason) {
        let text = OriginURLError(url: "x\n", reason: reason).description
        #expect(text.hasPrefix("“x\\u{a}” "))
        #expect(!text.contains("\n"))
    }

    @Test("the parts are decoded once")
    func parts() throws {
        let url = try OriginURL("https://M.example.com:8443/a%20b/%2525/")
        #expect(url.scheme == .https)
        #expect(url.host == "m.example.com")
        #expect(url.port == 8443)
        #expect(url.authority == "m.example.com:8443")
        #expect(url.components == ["a b", "%25"])
    }
}
