import BundleServing
import BundleStore
import BundleTesting

/// What every way in must respond, in this order.
enum SurfaceTable {
    static let rows = bundled + conditions + network + streams + rules + appRules + offline + update

    private static let unseenStatus = "a page doesn't see the status that it was opened with"
    private static let unseenRedirect =
        "a page's script doesn't see a redirect that it doesn't follow (Fetch, “manual”)"
    private static let noMocks = "the shell isn't for development, so that rules with mocks don't match"

    private static let script = "console.log('shop')\n"
    private static let javaScript: ConformanceExpectation.Field = .containing("text/javascript")

    private static func get(_ path: String, _ fields: [(String, String)] = []) -> ConformanceRequest {
        ConformanceRequest("GET", "/\(path)", fields)
    }

    private static func page(_ path: String) -> ConformanceRequest {
        ConformanceRequest("GET", "/\(path)", isPage: true)
    }

    // MARK: - Files of the bundle

    private static let bundled = [
        SurfaceRow(
            "a bundled file",
            get("app.js"),
            200,
            [
                "content-type": javaScript, "content-length": "20", "accept-ranges": "bytes",
                "x-bundle": "yes", "etag": .equal(entityTag(script)), "cache-status": .containing("; hit"),
            ],
            content: .text(script)
        ),
        SurfaceRow(
            "HEAD of a bundled file",
            ConformanceRequest("HEAD", "/app.js"),
            200,
            ["content-type": javaScript, "content-length": "20"],
            content: .empty
        ),
        SurfaceRow(
            "a bundled file of 1,000 bytes",
            get("data/numbers.bin?cached=no"),
            200,
            content: .digest(Digest(of: SurfaceWorld.numbers))
        ),
        SurfaceRow(
            "a name outside ASCII",
            get("gr%C3%BC%C3%9Fe.txt"),
            200,
            ["content-type": .containing("text/plain")],
            content: .text("hello\n")
        ),
        SurfaceRow("the entry page", page(""), 200, content: .containing("Shop 1"))
            .except([.webView], because: unseenStatus, .init(0, content: .containing("Shop 1"))),
        SurfaceRow("a folder's page", page("docs/"), 200, content: .containing("Docs"))
            .except([.webView], because: unseenStatus, .init(0, content: .containing("Docs"))),
        SurfaceRow("a folder without its slash", page("docs"), 301, ["location": "docs/"])
            .except([.webView], because: unseenStatus, .init(0, content: .containing("Docs"))),
        SurfaceRow("a client-side route", page("orders/5"), 200, content: .containing("Shop 1"))
            .except([.webView], because: unseenStatus, .init(0, content: .containing("Shop 1"))),
    ]

    // MARK: - Conditions and ranges

    private static let conditions = [
        SurfaceRow(
            "If-None-Match of the file",
            get("app.js", [("If-None-Match", entityTag(script))]),
            304,
            ["etag": .equal(entityTag(script))],
            content: .empty
        ),
        SurfaceRow(
            "If-None-Match of another file",
            get("app.js", [("If-None-Match", #""other""#)]),
            200,
            content: .text(script)
        ),
        SurfaceRow(
            "If-Modified-Since after the activation",
            get("app.js", [("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")]),
            304,
            content: .empty
        ),
        SurfaceRow("If-Match of another file", get("app.js", [("If-Match", #""other""#)]), 412),
        SurfaceRow(
            "a range",
            get("app.js", [("Range", "bytes=0-6")]),
            206,
            ["content-range": "bytes 0-6/20", "content-length": "7"],
            content: .text("console")
        ),
        SurfaceRow(
            "a range from the end",
            get("app.js", [("Range", "bytes=-8")]),
            206,
            ["content-range": "bytes 12-19/20"],
            content: .text("'shop')\n")
        ),
        SurfaceRow(
            "a range behind the end",
            get("app.js", [("Range", "bytes=20-")]),
            416,
            ["content-range": "bytes */20"]
        ),
        SurfaceRow(
            "two ranges",
            get("app.js", [("Range", "bytes=0-1,10-11")]),
            206,
            ["content-type": .containing("multipart/byteranges; boundary=")],
            content: .containing("Content-Range: bytes 10-11/20")
        ),
        SurfaceRow(
            "If-Range of the file",
            get("app.js", [("Range", "bytes=0-6"), ("If-Range", entityTag(script))]),
            206,
            content: .text("console")
        ),
        SurfaceRow(
            "If-Range of another file",
            get("app.js", [("Range", "bytes=0-6"), ("If-Range", #""other""#)]),
            200,
            content: .text(script)
        ),
    ]

    // MARK: - The network and the cache

    private static let network = [
        SurfaceRow(
            "what only the origin has",
            get("api/stock"),
            200,
            ["cache-status": .containing("fwd=uri-miss")],
            content: .text("stock")
        ),
        SurfaceRow(
            "the same again, from the cache",
            get("api/stock"),
            200,
            ["cache-status": .containing("; hit")],
            content: .text("stock")
        ),
        SurfaceRow(
            "a range of what is cached",
            get("api/stock", [("Range", "bytes=1-2")]),
            206,
            ["content-range": "bytes 1-2/5"],
            content: .text("to")
        ),
        SurfaceRow(
            "If-None-Match of what is cached",
            get("api/stock", [("If-None-Match", #""stock""#)]),
            304,
            content: .empty
        ),
        SurfaceRow(
            "what may not be cached",
            get("api/unstored"),
            200,
            ["cache-control": "no-store"],
            content: .text("by GET")
        ),
        SurfaceRow(
            "POST to the origin",
            ConformanceRequest("POST", "/api/unstored", [("Content-Type", "text/plain")], content: "x"),
            200,
            content: .text("by POST")
        ),
        SurfaceRow(
            "DELETE at the origin",
            ConformanceRequest("DELETE", "/api/unstored"),
            200,
            content: .text("by DELETE")
        ),
        SurfaceRow("an error of the origin", get("api/gone"), 410, content: .text("gone")),
        SurfaceRow("what nobody has", get("api/nothing"), 404),
        SurfaceRow(
            "a redirect of the origin into the bundle",
            get("api/redirect"),
            302,
            ["location": .containing("/app.js")]
        )
        .except([.webView], because: unseenRedirect, .init(0, content: .empty)),
    ]

    // MARK: - Bodies in pieces

    private static let upload = String(repeating: "0123456789abcdef", count: 20_000)
    private static let received = "320000 \(Digest(of: Array(upload.utf8)))"

    private static let streams = [
        SurfaceRow(
            "a body of a request whose length isn't known",
            ConformanceRequest("POST", "/api/upload", content: upload, isStreamed: true),
            200,
            content: .text(received)
        )
        .except(
            [.c],
            because: "a program gives a request its whole content",
            .init(200, content: .text(received))
        )
        .except(
            [.webView],
            because: "WebKit's fetch takes no stream as a body: the page gives it the whole",
            .init(200, content: .text(received))
        ),
        SurfaceRow(
            "a large response whose length isn't known",
            get("api/large"),
            200,
            ["content-length": nil, "cache-status": .containing("fwd=uri-miss")],
            content: .digest(Digest(of: SurfaceWorld.large))
        ),
        SurfaceRow(
            "the same from the cache",
            get("api/large"),
            200,
            ["content-length": "1000000", "cache-status": .containing("; hit")],
            content: .digest(Digest(of: SurfaceWorld.large))
        ),
        SurfaceRow(
            "a range of it",
            get("api/large", [("Range", "bytes=500000-")]),
            206,
            ["content-range": "bytes 500000-999999/1000000"],
            content: .digest(Digest(of: Array(SurfaceWorld.large[500_000...])))
        ),
    ]

    // MARK: - Network rules

    private static let rules = [
        SurfaceRow("a blocked request", get("ads/banner.png"), 403),
        SurfaceRow("a redirect by a rule", get("moved/here"), 302, ["location": "https://elsewhere.example/"])
            .except([.webView], because: unseenRedirect, .init(0, content: .empty)),
        SurfaceRow("a rewritten URL", get("api/v1/items"), 200, content: .text("items")),
        SurfaceRow("edited fields", get("api/fields"), 200, ["x-rule": "applied"], content: .text("shop")),
        SurfaceRow("a mock", get("api/mock"), 418, ["x-mock": "1"], content: .empty)
            .except([.webView], because: noMocks, .init(404)),
    ]

    // MARK: - Network rules that an app sets while it runs

    private static let earlyRules = "the endpoint reads its rules for all bundles (--network-rules) when it starts"
    private static let noAppRules = "the shell has no code of an app, and no rules but the manifest's"

    private static let appRules = [
        SurfaceRow("what no rule is about yet", get("api/internal/list"), 200, content: .text("list"))
            .except([.endpoint], because: earlyRules, .init(403)),
        SurfaceRow("an app sets rules", .rules(SurfaceWorld.appRules))
            .except([.endpoint], because: earlyRules)
            .except([.webView], because: noAppRules),
        SurfaceRow("a request that the app blocks", get("api/internal/list"), 403)
            .except([.webView], because: noAppRules, .init(200, content: .text("list"))),
        SurfaceRow("a field that the app adds to requests", get("api/agent"), 200, content: .text("app"))
            .except([.webView], because: noAppRules, .init(200, content: .text("no field"))),
        SurfaceRow("a rule of the manifest, after the app's", get("ads/banner.png"), 403),
    ]

    // MARK: - Without a network

    private static let unreachable = "a URLSession reports a URLError when no response comes"

    private static let offline = [
        SurfaceRow("the network goes away", .origin(isUp: false)),
        SurfaceRow("a bundled file, offline", get("app.js"), 200, content: .text(script)),
        SurfaceRow("what is cached, offline", get("api/stock"), 200, content: .text("stock")),
        SurfaceRow("what isn't cached, offline", get("api/other"), 504)
            .except([.urlProtocol], because: unreachable),
        SurfaceRow(
            "a page that isn't there, offline",
            page("api/page"),
            504,
            ["content-type": .containing("text/html")],
            content: .containing("<title>Offline</title>")
        )
        .except(
            [.webView],
            because: unseenStatus,
            .init(0, content: .containing("<title>Offline</title>"))
        ),
        SurfaceRow("POST, offline", ConformanceRequest("POST", "/api/unstored", content: "x"), 504)
            .except([.urlProtocol], because: unreachable),
        SurfaceRow("the network comes back", .origin(isUp: true)),
        SurfaceRow("what isn't cached, again", get("api/v2/items"), 200, content: .text("items")),
    ]

    // MARK: - An update in the middle

    private static let update = [
        SurfaceRow("an update", .update),
        SurfaceRow("the entry page, new", page(""), 200, content: .containing("Shop 2"))
            .except([.webView], because: unseenStatus, .init(0, content: .containing("Shop 2"))),
        SurfaceRow("a new file", get("new.js"), 200, content: .text("newer()\n")),
        SurfaceRow("an old file, for a page that is still open", get("old.js"), 200, content: .text("old()\n")),
        SurfaceRow(
            "what was cached under the old version",
            get("api/stock"),
            200,
            ["cache-status": .containing("fwd=uri-miss")],
            content: .text("stock")
        ),
        SurfaceRow("a rollback", .rollBack),
        SurfaceRow("the entry page, old", page(""), 200, content: .containing("Shop 1"))
            .except([.webView], because: unseenStatus, .init(0, content: .containing("Shop 1"))),
    ]

    /// The strong entity tag of a content.
    private static func entityTag(_ text: String) -> String {
        EntityTag(digest: Digest(of: Array(text.utf8))).fieldValue
    }
}
