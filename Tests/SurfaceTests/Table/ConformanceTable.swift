import BundleServing
import BundleStore

/// What every way in must respond, in this order.
enum ConformanceTable {
    static let rows = bundled + conditions + network + streams + rules + appRules + offline + update

    private static let unseenStatus = "a page doesn't see the status that it was opened with"
    private static let unseenRedirect =
        "a page's script doesn't see a redirect that it doesn't follow (Fetch, “manual”)"
    private static let noMocks = "the shell isn't for development, so that rules with mocks don't match"

    private static let script = "console.log('shop')\n"
    private static let javaScript: Expectation.Field = .containing("text/javascript")

    private static func get(_ path: String, _ fields: [(String, String)] = []) -> SurfaceRequest {
        SurfaceRequest(path: path, fields: fields)
    }

    private static func page(_ path: String) -> SurfaceRequest { SurfaceRequest(path: path, isPage: true) }

    // MARK: - Files of the bundle

    private static let bundled = [
        ConformanceRow(
            "a bundled file",
            get("app.js"),
            Expectation(
                status: 200,
                fields: [
                    "content-type": javaScript, "content-length": .equal("20"), "accept-ranges": .equal("bytes"),
                    "x-bundle": .equal("yes"), "etag": .equal(entityTag(script)), "cache-status": .containing("; hit"),
                ],
                body: .text(script)
            )
        ),
        ConformanceRow(
            "HEAD of a bundled file",
            SurfaceRequest(method: "HEAD", path: "app.js"),
            Expectation(
                status: 200,
                fields: ["content-type": javaScript, "content-length": .equal("20")],
                body: .empty
            )
        ),
        ConformanceRow(
            "a bundled file of 1,000 bytes",
            get("data/numbers.bin?cached=no"),
            Expectation(status: 200, body: .digest(Digest(of: SurfaceWorld.numbers)))
        ),
        ConformanceRow(
            "a name outside ASCII",
            get("gr%C3%BC%C3%9Fe.txt"),
            Expectation(status: 200, fields: ["content-type": .containing("text/plain")], body: .text("hello\n"))
        ),
        ConformanceRow("the entry page", page(""), Expectation(status: 200, body: .containing("Shop 1")))
            .differing(on: .webView, because: unseenStatus, Expectation(status: 0, body: .containing("Shop 1"))),
        ConformanceRow("a folder's page", page("docs/"), Expectation(status: 200, body: .containing("Docs")))
            .differing(on: .webView, because: unseenStatus, Expectation(status: 0, body: .containing("Docs"))),
        ConformanceRow(
            "a folder without its slash",
            page("docs"),
            Expectation(status: 301, fields: ["location": .equal("docs/")])
        )
        .differing(on: .webView, because: unseenStatus, Expectation(status: 0, body: .containing("Docs"))),
        ConformanceRow("a client-side route", page("orders/5"), Expectation(status: 200, body: .containing("Shop 1")))
            .differing(on: .webView, because: unseenStatus, Expectation(status: 0, body: .containing("Shop 1"))),
    ]

    // MARK: - Conditions and ranges

    private static let conditions = [
        ConformanceRow(
            "If-None-Match of the file",
            get("app.js", [("If-None-Match", entityTag(script))]),
            Expectation(status: 304, fields: ["etag": .equal(entityTag(script))], body: .empty)
        ),
        ConformanceRow(
            "If-None-Match of another file",
            get("app.js", [("If-None-Match", #""other""#)]),
            Expectation(status: 200, body: .text(script))
        ),
        ConformanceRow(
            "If-Modified-Since after the activation",
            get("app.js", [("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")]),
            Expectation(status: 304, body: .empty)
        ),
        ConformanceRow(
            "If-Match of another file",
            get("app.js", [("If-Match", #""other""#)]),
            Expectation(status: 412)
        ),
        ConformanceRow(
            "a range",
            get("app.js", [("Range", "bytes=0-6")]),
            Expectation(
                status: 206,
                fields: ["content-range": .equal("bytes 0-6/20"), "content-length": .equal("7")],
                body: .text("console")
            )
        ),
        ConformanceRow(
            "a range from the end",
            get("app.js", [("Range", "bytes=-8")]),
            Expectation(status: 206, fields: ["content-range": .equal("bytes 12-19/20")], body: .text("'shop')\n"))
        ),
        ConformanceRow(
            "a range behind the end",
            get("app.js", [("Range", "bytes=20-")]),
            Expectation(status: 416, fields: ["content-range": .equal("bytes */20")])
        ),
        ConformanceRow(
            "two ranges",
            get("app.js", [("Range", "bytes=0-1,10-11")]),
            Expectation(
                status: 206,
                fields: ["content-type": .containing("multipart/byteranges; boundary=")],
                body: .containing("Content-Range: bytes 10-11/20")
            )
        ),
        ConformanceRow(
            "If-Range of the file",
            get("app.js", [("Range", "bytes=0-6"), ("If-Range", entityTag(script))]),
            Expectation(status: 206, body: .text("console"))
        ),
        ConformanceRow(
            "If-Range of another file",
            get("app.js", [("Range", "bytes=0-6"), ("If-Range", #""other""#)]),
            Expectation(status: 200, body: .text(script))
        ),
    ]

    // MARK: - The network and the cache

    private static let network = [
        ConformanceRow(
            "what only the origin has",
            get("api/stock"),
            Expectation(status: 200, fields: ["cache-status": .containing("fwd=uri-miss")], body: .text("stock"))
        ),
        ConformanceRow(
            "the same again, from the cache",
            get("api/stock"),
            Expectation(status: 200, fields: ["cache-status": .containing("; hit")], body: .text("stock"))
        ),
        ConformanceRow(
            "a range of what is cached",
            get("api/stock", [("Range", "bytes=1-2")]),
            Expectation(status: 206, fields: ["content-range": .equal("bytes 1-2/5")], body: .text("to"))
        ),
        ConformanceRow(
            "If-None-Match of what is cached",
            get("api/stock", [("If-None-Match", #""stock""#)]),
            Expectation(status: 304, body: .empty)
        ),
        ConformanceRow(
            "what may not be cached",
            get("api/unstored"),
            Expectation(status: 200, fields: ["cache-control": .equal("no-store")], body: .text("by GET"))
        ),
        ConformanceRow(
            "POST to the origin",
            SurfaceRequest(method: "POST", path: "api/unstored", fields: [("Content-Type", "text/plain")], body: "x"),
            Expectation(status: 200, body: .text("by POST"))
        ),
        ConformanceRow(
            "DELETE at the origin",
            SurfaceRequest(method: "DELETE", path: "api/unstored"),
            Expectation(status: 200, body: .text("by DELETE"))
        ),
        ConformanceRow("an error of the origin", get("api/gone"), Expectation(status: 410, body: .text("gone"))),
        ConformanceRow("what nobody has", get("api/nothing"), Expectation(status: 404)),
        ConformanceRow(
            "a redirect of the origin into the bundle",
            get("api/redirect"),
            Expectation(status: 302, fields: ["location": .containing("/app.js")])
        )
        .differing(on: .webView, because: unseenRedirect, Expectation(status: 0, body: .empty)),
    ]

    // MARK: - Bodies in pieces

    private static let upload = String(repeating: "0123456789abcdef", count: 20_000)
    private static let received = "320000 \(Digest(of: Array(upload.utf8)))"

    private static let streams = [
        ConformanceRow(
            "a body of a request whose length isn't known",
            SurfaceRequest(method: "POST", path: "api/upload", body: upload, isStreamed: true),
            Expectation(status: 200, body: .text(received))
        )
        .differing(
            on: .c,
            because: "a program gives a request its whole content",
            Expectation(status: 200, body: .text(received))
        )
        .differing(
            on: .webView,
            because: "WebKit's fetch takes no stream as a body: the page gives it the whole",
            Expectation(status: 200, body: .text(received))
        ),
        ConformanceRow(
            "a large response whose length isn't known",
            get("api/large"),
            Expectation(
                status: 200,
                fields: ["content-length": .absent, "cache-status": .containing("fwd=uri-miss")],
                body: .digest(Digest(of: SurfaceWorld.large))
            )
        ),
        ConformanceRow(
            "the same from the cache",
            get("api/large"),
            Expectation(
                status: 200,
                fields: ["content-length": .equal("1000000"), "cache-status": .containing("; hit")],
                body: .digest(Digest(of: SurfaceWorld.large))
            )
        ),
        ConformanceRow(
            "a range of it",
            get("api/large", [("Range", "bytes=500000-")]),
            Expectation(
                status: 206,
                fields: ["content-range": .equal("bytes 500000-999999/1000000")],
                body: .digest(Digest(of: Array(SurfaceWorld.large[500_000...])))
            )
        ),
    ]

    // MARK: - Network rules

    private static let rules = [
        ConformanceRow("a blocked request", get("ads/banner.png"), Expectation(status: 403)),
        ConformanceRow(
            "a redirect by a rule",
            get("moved/here"),
            Expectation(status: 302, fields: ["location": .equal("https://elsewhere.example/")])
        )
        .differing(on: .webView, because: unseenRedirect, Expectation(status: 0, body: .empty)),
        ConformanceRow("a rewritten URL", get("api/v1/items"), Expectation(status: 200, body: .text("items"))),
        ConformanceRow(
            "edited fields",
            get("api/fields"),
            Expectation(status: 200, fields: ["x-rule": .equal("applied")], body: .text("shop"))
        ),
        ConformanceRow(
            "a mock",
            get("api/mock"),
            Expectation(status: 418, fields: ["x-mock": .equal("1")], body: .empty)
        )
        .differing(on: .webView, because: noMocks, Expectation(status: 404)),
    ]

    // MARK: - Network rules that an app sets while it runs

    private static let earlyRules = "the endpoint reads its rules for all bundles (--network-rules) when it starts"
    private static let noAppRules = "the shell has no code of an app, and no rules but the manifest's"

    private static let appRules = [
        ConformanceRow(
            "what no rule is about yet",
            get("api/internal/list"),
            Expectation(status: 200, body: .text("list"))
        )
        .differing(on: .endpoint, because: earlyRules, Expectation(status: 403)),
        ConformanceRow("an app sets rules", .rules(SurfaceWorld.appRules))
            .differing(on: .endpoint, because: earlyRules)
            .differing(on: .webView, because: noAppRules),
        ConformanceRow("a request that the app blocks", get("api/internal/list"), Expectation(status: 403))
            .differing(on: .webView, because: noAppRules, Expectation(status: 200, body: .text("list"))),
        ConformanceRow(
            "a field that the app adds to requests",
            get("api/agent"),
            Expectation(status: 200, body: .text("app"))
        )
        .differing(on: .webView, because: noAppRules, Expectation(status: 200, body: .text("no field"))),
        ConformanceRow("a rule of the manifest, after the app's", get("ads/banner.png"), Expectation(status: 403)),
    ]

    // MARK: - Without a network

    private static let unreachable = "a URLSession reports a URLError when no response comes"

    private static let offline = [
        ConformanceRow("the network goes away", .origin(isUp: false)),
        ConformanceRow("a bundled file, offline", get("app.js"), Expectation(status: 200, body: .text(script))),
        ConformanceRow("what is cached, offline", get("api/stock"), Expectation(status: 200, body: .text("stock"))),
        ConformanceRow("what isn't cached, offline", get("api/other"), Expectation(status: 504))
            .differing(on: .urlProtocol, because: unreachable),
        ConformanceRow(
            "a page that isn't there, offline",
            page("api/page"),
            Expectation(
                status: 504,
                fields: ["content-type": .containing("text/html")],
                body: .containing("<title>Offline</title>")
            )
        )
        .differing(
            on: .webView,
            because: unseenStatus,
            Expectation(status: 0, body: .containing("<title>Offline</title>"))
        ),
        ConformanceRow(
            "POST, offline",
            SurfaceRequest(method: "POST", path: "api/unstored", body: "x"),
            Expectation(status: 504)
        )
        .differing(on: .urlProtocol, because: unreachable),
        ConformanceRow("the network comes back", .origin(isUp: true)),
        ConformanceRow("what isn't cached, again", get("api/v2/items"), Expectation(status: 200, body: .text("items"))),
    ]

    // MARK: - An update in the middle

    private static let update = [
        ConformanceRow("an update", .update),
        ConformanceRow("the entry page, new", page(""), Expectation(status: 200, body: .containing("Shop 2")))
            .differing(on: .webView, because: unseenStatus, Expectation(status: 0, body: .containing("Shop 2"))),
        ConformanceRow("a new file", get("new.js"), Expectation(status: 200, body: .text("newer()\n"))),
        ConformanceRow(
            "an old file, for a page that is still open",
            get("old.js"),
            Expectation(status: 200, body: .text("old()\n"))
        ),
        ConformanceRow(
            "what was cached under the old version",
            get("api/stock"),
            Expectation(status: 200, fields: ["cache-status": .containing("fwd=uri-miss")], body: .text("stock"))
        ),
        ConformanceRow("a rollback", .rollBack),
        ConformanceRow("the entry page, old", page(""), Expectation(status: 200, body: .containing("Shop 1")))
            .differing(on: .webView, because: unseenStatus, Expectation(status: 0, body: .containing("Shop 1"))),
    ]

    /// The strong entity tag of a content.
    private static func entityTag(_ text: String) -> String {
        EntityTag(digest: Digest(of: Array(text.utf8))).fieldValue
    }
}
