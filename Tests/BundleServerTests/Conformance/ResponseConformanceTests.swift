import Testing

/// Methods, statuses, fields, and content negotiation.
@Suite("Responses, on every path", .serialized, .conformanceServers())
struct ResponseConformanceTests {
    private static let allow = "GET, HEAD, OPTIONS"
    private static let plain: [String: String?] = [
        "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff",
    ]
    private static let long = "/" + String(repeating: "x", count: 8_200)
    private static let many = (0..<110).map { ("X-\($0)", "y") }
    private static let notAllowed = plain.merging(["allow": allow]) { $1 }

    static let methodsRows: [ConformanceRow] = [
        ConformanceRow("9.3.1", [], 200, ["content-length": "10", "accept-ranges": "bytes"], content: "0123456789"),
        ConformanceRow("9.3.2", "HEAD", [], 200, ["content-length": "10", "etag": "{tag}"]),
        ConformanceRow("9.3.2, a page", "HEAD", "/shop/", [], 200, ["content-length": "7"]),
        ConformanceRow("9.3.2, missing", "HEAD", "/nowhere", [], 404),
        ConformanceRow("9.3.2, a folder", "HEAD", "/shop/folder", [], 301, ["location": "/shop/folder/"]),
        ConformanceRow("9.3.7", "OPTIONS", [], 204, ["allow": allow, "content-length": nil]),
        ConformanceRow("9.3.7, the server", "OPTIONS", "*", [], 204, ["allow": allow]),
        ConformanceRow("9.3.7, a folder", "OPTIONS", "/shop/folder", [], 204, ["allow": allow]),
        ConformanceRow("9.3.7, from the network", "OPTIONS", "/shop/data.json", [], 204, ["allow": allow]),
        ConformanceRow("15.5.6", "POST", [], 405, notAllowed),
        ConformanceRow("15.5.6", "PUT", [], 405, notAllowed),
        ConformanceRow("15.5.6", "DELETE", "/shop/data.json", [], 405, notAllowed),
        ConformanceRow("15.5.6", "TRACE", "/nowhere", [], 405, notAllowed),
        ConformanceRow("15.5.6", "BREW", "/shop/folder", [], 405, notAllowed),
        ConformanceRow("9.1, case counts", "get", [], 405, notAllowed),
    ]

    static let statusesRows: [ConformanceRow] = [
        ConformanceRow("15.4.2", "GET", "/shop/folder", [], 301, ["location": "/shop/folder/"]),
        ConformanceRow(
            "15.4.2, the query",
            "GET",
            "/shop/folder?a=b&c=%20?",
            [],
            301,
            ["location": "/shop/folder/?a=b&c=%20?"]
        ),
        ConformanceRow("15.4.2, no query", "GET", "/shop/folder?", [], 301, ["location": "/shop/folder/?"]),
        ConformanceRow("15.4.2, the bundle", "GET", "/shop?a", [], 301, ["location": "/shop/?a"]),
        ConformanceRow("15.5.5", "GET", "/nowhere", [], 404, plain),
        ConformanceRow("15.5.5, in a bundle", "GET", "/alone/nothing.js", [], 404, plain),
        ConformanceRow("15.5.5, a query", "GET", "/nowhere?a=b", [], 404, plain),
        ConformanceRow("15.5.15", "GET", long, [], 414, plain),
        ConformanceRow("15.5.15, HEAD", "HEAD", long, [], 414, plain),
        ConformanceRow("6585 §5", "GET", "/shop/digits.bin", many, 431, plain),
        ConformanceRow("6585 §5, HEAD", "HEAD", "/shop/digits.bin", many, 431, plain),
        ConformanceRow("15.6.5", "GET", "/shop/nothing.js", [], 504, plain),
        ConformanceRow("15.6.5, HEAD", "HEAD", "/shop/nothing.js", [], 504, plain),
    ]

    static let cachedRows: [ConformanceRow] = [
        ConformanceRow(
            "9111 §4",
            "GET",
            "/shop/data.json",
            [],
            200,
            ["vary": "Accept-Language", "age": "0"],
            content: #"{"a":1}"#
        ),
        ConformanceRow("9.3.2", "HEAD", "/shop/data.json", [], 200, ["content-length": "7", "etag": "\"v1\""]),
        ConformanceRow(
            "15.4.5",
            "GET",
            "/shop/data.json",
            [("If-None-Match", "W/\"v1\"")],
            304,
            [
                "etag": "\"v1\"", "vary": "Accept-Language", "cache-control": "max-age=3600", "content-type": nil,
                "content-length": nil,
            ]
        ),
        ConformanceRow("13.1.1", "GET", "/shop/data.json", [("If-Match", "\"v2\"")], 412),
        ConformanceRow(
            "13.1.3",
            "GET",
            "/shop/data.json",
            [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")],
            304
        ),
        ConformanceRow(
            "5.6.7",
            "GET",
            "/shop/data.json",
            [("If-Modified-Since", "Sunday, 06-Nov-94 08:49:37 GMT")],
            304
        ),
        ConformanceRow("5.6.7", "GET", "/shop/data.json", [("If-Modified-Since", "Sun Nov  6 08:49:37 1994")], 304),
        ConformanceRow(
            "13.1.3",
            "GET",
            "/shop/data.json",
            [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")],
            200
        ),
        ConformanceRow(
            "13.1.4",
            "GET",
            "/shop/data.json",
            [("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")],
            412
        ),
        ConformanceRow(
            "14.2",
            "GET",
            "/shop/data.json",
            [("Range", "bytes=-2")],
            206,
            ["content-range": "bytes 5-6/7"],
            content: "1}"
        ),
        ConformanceRow(
            "15.5.17",
            "GET",
            "/shop/data.json",
            [("Range", "bytes=7-")],
            416,
            ["content-range": "bytes */7"]
        ),
        ConformanceRow("13.1.5", "GET", "/shop/data.json", [("Range", "bytes=0-1"), ("If-Range", "\"v2\"")], 200),
        ConformanceRow("14.2", "HEAD", "/shop/data.json", [("Range", "bytes=7-")], 200, ["content-range": nil]),
    ]

    static let chosenRows: [ConformanceRow] = [
        ConformanceRow(
            "12.5.3",
            "GET",
            "/shop/app.js",
            [("Accept-Encoding", "br")],
            200,
            [
                "content-encoding": "br", "vary": "Accept-Encoding", "etag": "{coded-tag}",
            ]
        ),
        ConformanceRow(
            "12.5.3, HEAD",
            "HEAD",
            "/shop/app.js",
            [("Accept-Encoding", "br")],
            200,
            [
                "content-encoding": "br", "vary": "Accept-Encoding", "etag": "{coded-tag}",
            ]
        ),
        ConformanceRow(
            "12.5.5, as it is",
            "GET",
            "/shop/app.js",
            [],
            200,
            [
                "content-encoding": nil, "vary": "Accept-Encoding", "content-length": "1800",
            ]
        ),
        ConformanceRow(
            "12.5.3, not acceptable",
            "GET",
            "/shop/app.js",
            [("Accept-Encoding", "br;q=0")],
            200,
            [
                "content-encoding": nil, "vary": "Accept-Encoding",
            ]
        ),
        ConformanceRow(
            "12.5.3, nothing",
            "GET",
            "/shop/app.js",
            [("Accept-Encoding", "")],
            200,
            ["content-encoding": nil]
        ),
        ConformanceRow(
            "15.4.5, required fields",
            "GET",
            "/shop/app.js",
            [
                ("Accept-Encoding", "br"), ("If-None-Match", "{coded-tag}"),
            ],
            304,
            [
                "etag": "{coded-tag}", "vary": "Accept-Encoding", "cache-control": "no-cache", "content-encoding": nil,
                "content-type": nil, "content-length": nil, "last-modified": nil,
            ]
        ),
        ConformanceRow(
            "8.8.3.3, of another coding",
            "GET",
            "/shop/app.js",
            [("If-None-Match", "{coded-tag}")],
            200,
            [
                "content-encoding": nil
            ]
        ),
        ConformanceRow(
            "15.4.5, as it is",
            [("If-None-Match", "{tag}")],
            304,
            [
                "etag": "{tag}", "vary": nil, "cache-control": "no-cache", "content-length": nil,
            ]
        ),
        ConformanceRow(
            "13.1.1, of a coded form",
            "GET",
            "/shop/app.js",
            [
                ("Accept-Encoding", "br"), ("If-Match", "\"other\""),
            ],
            412,
            ["vary": "Accept-Encoding"]
        ),
    ]

    private static let cookie = "offline-bundles.shop=1.0.0"
    private static let mark = "\(cookie); Path=/shop/; SameSite=Lax; HttpOnly"
    private static let document = ("Sec-Fetch-Dest", "document")

    static let pagesRows: [ConformanceRow] = [
        ConformanceRow("6265 §3.1, a page", "GET", "/shop/", [document], 200, ["set-cookie": mark], content: "<p>shop"),
        ConformanceRow(
            "6265 §3.1, known",
            "GET",
            "/shop/",
            [document, ("Cookie", "a=b; \(cookie)")],
            200,
            ["set-cookie": nil]
        ),
        ConformanceRow("6265 §3.1, HEAD", "HEAD", "/shop/index.html", [document], 200, ["set-cookie": mark]),
        ConformanceRow(
            "6265 §3.1, unchanged",
            "GET",
            "/shop/",
            [document, ("If-None-Match", "*")],
            304,
            ["set-cookie": mark]
        ),
        ConformanceRow(
            "6265 §3.1, refused",
            "GET",
            "/shop/",
            [document, ("If-Match", "\"x\"")],
            412,
            ["set-cookie": nil]
        ),
        ConformanceRow("6265 §3.1, a part", "GET", "/shop/app.js", [document], 200, ["set-cookie": nil]),
        ConformanceRow("6265 §3.1, a frame", "GET", "/shop/", [("Sec-Fetch-Dest", "iframe")], 200, ["set-cookie": nil]),
    ]

    @Test("to each method", arguments: methodsRows)
    func methods(_ row: ConformanceRow) async throws { try await row.check() }

    @Test("with each status", arguments: statusesRows)
    func statuses(_ row: ConformanceRow) async throws { try await row.check() }

    @Test("from the cache", arguments: cachedRows)
    func cached(_ row: ConformanceRow) async throws { try await row.check() }

    @Test("in a coding that the client accepts", arguments: chosenRows)
    func chosen(_ row: ConformanceRow) async throws { try await row.check() }

    @Test("to a page, with its version", arguments: pagesRows)
    func pages(_ row: ConformanceRow) async throws { try await row.check() }
}
