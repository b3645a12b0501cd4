import BundleModel
import BundleTesting
import HTTPCore
import HTTPTypes
import OfflineBundles
import Testing

@testable import HybridShell

@Suite("What the window shows")
struct PageTests {
    @Test(
        "a bundle opens at its first origin, and under its own scheme if it has none",
        arguments: [
            (
                "index.html", #"[{"url":"https://m.example.com/shop/","path":"/"}]"#, false,
                "https://m.example.com/shop/"
            ),
            (
                "a b/index.html", #"[{"url":"https://m.example.com/","path":"/"}]"#, false,
                "https://m.example.com/a%20b/"
            ),
            ("app.html", #"[{"url":"https://m.example.com/shop/","path":"/"}]"#, true, "bundle://shop/app.html"),
            ("index.html", "[]", false, "bundle://shop/"),
        ]
    )
    func start(_ entry: String, _ origins: String, _ usesScheme: Bool, _ url: String) throws {
        let text = #"{"name":"shop","version":"1.0.0","entry":"\#(entry)","origins":\#(origins)}"#
        let manifest = try BundleManifest.parse(Array(text.utf8)).manifest
        #expect(StartAddress.url(of: manifest, usesScheme: usesScheme) == url)
    }

    @Test("an error page says what to do, and a URL in it is text", arguments: ErrorPage.Reason.allCases)
    func errorPage(_ reason: ErrorPage.Reason) {
        let page = ErrorPage.html(reason, url: #"https://a.example/"><script>alert(1)</script>&"#)
        #expect(page.contains(reason.title))
        #expect(page.contains(reason.advice))
        #expect(!page.contains("<script>"))
    }

    @Test("only a page for users is replaced, and only where there is nothing else")
    func replaced() throws {
        let plain = Response.plain(.gatewayTimeout, "https://a.example/ is neither bundled nor cached")
        var source = ResponseSource(.miss)
        source.failure = .offline
        let missing = ServedResponse.complete(plain, source)
        let page = ErrorPage.replacing(missing, of: "https://a.example/", isPage: true)
        #expect(page.head.status == .gatewayTimeout)
        #expect(page.head.headerFields[.contentType] == "text/html; charset=utf-8")
        let text = String(decoding: try #require(page.body).array, as: UTF8.self)
        #expect(text.contains("You are offline"))
        for (response, isPage) in [(missing, false), (.complete(plain, ResponseSource(.miss)), true)] {
            #expect(
                ErrorPage.replacing(response, of: "https://a.example/", isPage: isPage).body?.array == plain.body.array
            )
        }
    }

    @Test("the badge goes by what was asked of the network last")
    func badge() {
        let state = ConnectionState()
        let changes = Monitor<[Bool]>([])
        state.observe { isOffline in changes.update { $0.append(isOffline) } }
        var unreachable = ResponseSource(.miss)
        unreachable.failure = .noResponse(BundleError(.networkUnavailable, "nobody"))
        let sources = [
            .init(.active), unreachable, .init(.active), .init(.stale), .init(.cache), .init(.network), .init(.network),
        ]
        for source in sources as [ResponseSource] { state.note(source) }
        #expect(changes.state == [true, false])
    }

    @Test("an update is shown at once in kiosk mode, and offered otherwise")
    func update() throws {
        let (shop, version) = (BundleName("shop"), BundleVersion("1.1.0"))
        #expect(UpdateNotice(shop, version, of: shop, isKiosk: true) == .reload)
        #expect(UpdateNotice(shop, version, of: shop, isKiosk: false) == .offer(version: "1.1.0"))
        #expect(UpdateNotice(shop, version, of: BundleName("other"), isKiosk: true) == nil)
        #expect(UpdateNotice(shop, nil, of: shop, isKiosk: true) == nil)
    }

    @Test(
        "a download's name has no folder, hides nothing, and takes no other file's place",
        arguments: [
            ("list.csv", "list.csv"), ("../../etc/passwd", "passwd"), (#"a\b.txt"#, "b.txt"), (".bashrc", "bashrc"),
            ("", "download"), ("..", "download"), ("a\u{202e}b\u{0}\n.txt", "ab.txt"), ("taken.pdf", "taken (2).pdf"),
            ("taken", "taken (2)"),
        ]
    )
    func download(_ suggestion: String, _ name: String) {
        #expect(DownloadName.choose(suggestion) { ["taken.pdf", "taken"].contains($0) } == name)
        #expect(DownloadName.choose(String(repeating: "ä", count: 300)) { _ in false }.utf8.count <= 200)
    }

    @Test("connections to mapped origins end in the shell, by host and port")
    func intercepted() throws {
        let origins = InterceptedOrigins([
            OriginMapping(origin: try OriginURL("https://m.example.com/shop/")),
            OriginMapping(origin: try OriginURL("http://127.0.0.1:8080/")),
        ])
        #expect(origins.scheme(of: SocksDestination(host: "m.example.com", port: 443)) == .https)
        #expect(origins.scheme(of: SocksDestination(host: "127.0.0.1", port: 8080)) == .http)
        #expect(origins.scheme(of: SocksDestination(host: "m.example.com", port: 80)) == nil)
        #expect(origins.scheme(of: SocksDestination(host: "other.example", port: 443)) == nil)
        #expect(origins.secureHosts == ["m.example.com"])
    }
}
