import BundleServing
import Testing

extension DriverConformanceTests {
    /// Methods, statuses, fields, and what is chosen by the client's wishes.
    @Suite("Responses")
    struct Responses {
        private static let allow = "GET, HEAD, OPTIONS"
        private static let plain: [String: String?] = [
            "content-type": "text/plain; charset=utf-8", "cache-control": "no-store",
            "x-content-type-options": "nosniff",
        ]
        private static let long = "/" + String(repeating: "x", count: 8_200)
        private static let many = (0..<110).map { ("X-\($0)", "y") }
        private static let notAllowed = plain.merging(["allow": allow]) { $1 }

        static let methodsRows: [DriverRow] = [
            DriverRow(
                "9.3.1",
                [],
                200,
                ["content-length": "10", "accept-ranges": "bytes"],
                content: "0123456789"
            ),
            DriverRow("9.3.2", "HEAD", [], 200, ["content-length": "10", "etag": "{tag}"]),
            DriverRow("9.3.2, a page", "HEAD", "/shop/", [], 200, ["content-length": "7"]),
            DriverRow("9.3.2, not there", "HEAD", "/nowhere", [], 404),
            DriverRow("9.3.2, a folder", "HEAD", "/shop/folder", [], 301, ["location": "folder/"]),
            DriverRow("9.3.7", "OPTIONS", [], 204, ["allow": allow, "content-length": nil]).from(.active),
            DriverRow("9.3.7, the server", "OPTIONS", "*", [], 204, ["allow": allow]),
            DriverRow("9.3.7, a folder", "OPTIONS", "/shop/folder", [], 204, ["allow": allow]).from(.server),
            DriverRow("15.5.6", "POST", "/alone/a.js", [], 405, notAllowed).from(.server, "alone@1.0.0"),
            DriverRow("15.5.6", "PUT", "/alone/nothing", [], 405, notAllowed).from(.server, "alone@1.0.0"),
            DriverRow("15.5.6", "TRACE", "/nowhere", [], 405, notAllowed),
            DriverRow("15.5.6", "BREW", "/alone/folder", [], 405, notAllowed).from(.server, "alone@1.0.0"),
            DriverRow("9.1, case counts", "get", "/alone/a.js", [], 405, notAllowed).from(.server, "alone@1.0.0"),
        ]

        static let statusesRows: [DriverRow] = [
            DriverRow("15.4.2", "GET", "/shop/folder", [], 301, ["location": "folder/"]),
            DriverRow(
                "15.4.2, the query",
                "GET",
                "/shop/folder?a=b&c=%20?",
                [],
                301,
                ["location": "folder/?a=b&c=%20?"]
            ),
            DriverRow("15.4.2, no query", "GET", "/shop/folder?", [], 301, ["location": "folder/?"]),
            DriverRow("15.4.2, the bundle", "GET", "/shop?a", [], 301, ["location": "shop/?a"]),
            DriverRow("15.5.5", "GET", "/nowhere", [], 404, plain),
            DriverRow("15.5.5, in a bundle", "GET", "/alone/nothing.js", [], 404, plain).from(
                .miss,
                "alone@1.0.0"
            ),
            DriverRow("15.5.5, a query", "GET", "/nowhere?a=b", [], 404, plain),
            DriverRow("15.5.15", "GET", long, [], 414, plain).withoutResponder(),
            DriverRow("15.5.15, HEAD", "HEAD", long, [], 414, plain).withoutResponder(),
            DriverRow("6585 §5", "GET", "/shop/digits.bin", many, 431, plain).withoutResponder(),
            DriverRow("6585 §5, HEAD", "HEAD", "/shop/digits.bin", many, 431, plain).withoutResponder(),
            DriverRow("15.6.5", "GET", "/shop/nothing.js", [], 504, plain),
            DriverRow("15.6.5, HEAD", "HEAD", "/shop/nothing.js", [], 504, plain),
            DriverRow("15.4.2, HEAD", "HEAD", "/shop/folder?a", [], 301, ["location": "folder/?a"]),
            DriverRow("15.5.5, HEAD", "HEAD", "/alone/nothing.js", [], 404, plain).from(.miss, "alone@1.0.0"),
            DriverRow(
                "15.3.1, a query",
                "GET",
                "/shop/digits.bin?v=1",
                [],
                200,
                content: ConformanceServers.digits
            ),
            DriverRow("15.3.1, a query, HEAD", "HEAD", "/shop/digits.bin?v=1", [], 200, ["content-length": "10"]),
            DriverRow("15.3.1, a folder", "GET", "/shop/folder/", [], 200, content: "<p>inside"),
            DriverRow("15.3.1, health", "GET", "/healthz", [], 200, plain, content: "ok\n").from(.server, nil),
            DriverRow("15.3.1, health, HEAD", "HEAD", "/readyz", [], 200, plain).from(.server, nil),
        ]

        static let cachedRows: [DriverRow] = [
            DriverRow(
                "9111 §4",
                "GET",
                "/shop/data.json",
                [],
                200,
                ["vary": "Accept-Language", "age": "0"],
                content: #"{"a":1}"#
            ),
            DriverRow("9.3.2", "HEAD", "/shop/data.json", [], 200, ["content-length": "7", "etag": "\"v1\""]),
            DriverRow(
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
            DriverRow("13.1.1", "GET", "/shop/data.json", [("If-Match", "\"v2\"")], 412),
            DriverRow(
                "13.1.3",
                "GET",
                "/shop/data.json",
                [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")],
                304
            ),
            DriverRow(
                "5.6.7",
                "GET",
                "/shop/data.json",
                [("If-Modified-Since", "Sunday, 06-Nov-94 08:49:37 GMT")],
                304
            ),
            DriverRow("5.6.7", "GET", "/shop/data.json", [("If-Modified-Since", "Sun Nov  6 08:49:37 1994")], 304),
            DriverRow(
                "13.1.3",
                "GET",
                "/shop/data.json",
                [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")],
                200
            ),
            DriverRow(
                "13.1.4",
                "GET",
                "/shop/data.json",
                [("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")],
                412
            ),
            DriverRow(
                "14.2",
                "GET",
                "/shop/data.json",
                [("Range", "bytes=-2")],
                206,
                ["content-range": "bytes 5-6/7"],
                content: "1}"
            ),
            DriverRow(
                "15.5.17",
                "GET",
                "/shop/data.json",
                [("Range", "bytes=7-")],
                416,
                ["content-range": "bytes */7"]
            ),
            DriverRow("13.1.5", "GET", "/shop/data.json", [("Range", "bytes=0-1"), ("If-Range", "\"v2\"")], 200),
            DriverRow("14.2", "HEAD", "/shop/data.json", [("Range", "bytes=7-")], 200, ["content-range": nil]),
        ].map { $0.from(.cache) }

        private static func coded(_ accepted: String, _ coding: String?) -> DriverRow {
            let fields: [String: String?] = [
                "content-encoding": coding, "vary": "Accept-Encoding",
                "etag": coding.map { "{\($0)-tag}" } ?? "{script-tag}",
            ]
            return DriverRow("12.5.3", "GET", "/shop/app.js", [("Accept-Encoding", accepted)], 200, fields)
        }

        static let chosenRows: [DriverRow] = [
            DriverRow(
                "12.5.3",
                "GET",
                "/shop/app.js",
                [("Accept-Encoding", "br")],
                200,
                [
                    "content-encoding": "br", "vary": "Accept-Encoding", "etag": "{br-tag}",
                ]
            ),
            DriverRow(
                "12.5.3, HEAD",
                "HEAD",
                "/shop/app.js",
                [("Accept-Encoding", "br")],
                200,
                [
                    "content-encoding": "br", "vary": "Accept-Encoding", "etag": "{br-tag}",
                ]
            ),
            coded("gzip", "gzip"), coded("zstd", "zstd"), coded("br;q=0.5, gzip", "gzip"),
            coded("gzip, deflate, br, zstd", "br"),
            coded("zstd;q=0.9, *;q=0.1", "zstd"), coded("GZIP", "gzip"), coded("x-gzip", "gzip"),
            DriverRow(
                "9842 §2",
                "GET",
                "/shop/lib.4e5f96b7.js",
                [("Accept-Encoding", "br, dcz"), ("Available-Dictionary", ":{dictionary}:")],
                200,
                ["content-encoding": "dcz", "vary": "Accept-Encoding, Available-Dictionary"]
            ),
            DriverRow(
                "9842 §2, another dictionary",
                "GET",
                "/shop/lib.4e5f96b7.js",
                [("Accept-Encoding", "dcz"), ("Available-Dictionary", ":\(String(repeating: "A", count: 43))=:")],
                200,
                ["content-encoding": nil, "vary": "Accept-Encoding, Available-Dictionary"],
                content: ConformanceServers.library
            ),
            coded("deflate", nil), coded("identity", nil), coded("br;q=0, gzip;q=0", nil),
            DriverRow(
                "12.5.3, several lines",
                "GET",
                "/shop/app.js",
                [("Accept-Encoding", "br;q=0.1"), ("Accept-Encoding", "zstd")],
                200,
                ["content-encoding": "zstd"]
            ),
            DriverRow(
                "12.5.5, as it is",
                "GET",
                "/shop/app.js",
                [],
                200,
                [
                    "content-encoding": nil, "vary": "Accept-Encoding", "content-length": "1800",
                ]
            ),
            DriverRow(
                "12.5.3, not wanted",
                "GET",
                "/shop/app.js",
                [("Accept-Encoding", "br;q=0")],
                200,
                [
                    "content-encoding": nil, "vary": "Accept-Encoding",
                ]
            ),
            DriverRow(
                "12.5.3, nothing",
                "GET",
                "/shop/app.js",
                [("Accept-Encoding", "")],
                200,
                ["content-encoding": nil]
            ),
            DriverRow(
                "15.4.5, what it must have",
                "GET",
                "/shop/app.js",
                [
                    ("Accept-Encoding", "br"), ("If-None-Match", "{br-tag}"),
                ],
                304,
                [
                    "etag": "{br-tag}", "vary": "Accept-Encoding", "cache-control": "no-cache", "content-encoding": nil,
                    "content-type": nil, "content-length": nil, "last-modified": nil,
                ]
            ),
            DriverRow(
                "8.8.3.3, of another form",
                "GET",
                "/shop/app.js",
                [("If-None-Match", "{br-tag}")],
                200,
                [
                    "content-encoding": nil
                ]
            ),
            DriverRow(
                "15.4.5, as it is",
                [("If-None-Match", "{tag}")],
                304,
                [
                    "etag": "{tag}", "vary": nil, "cache-control": "no-cache", "content-length": nil,
                ]
            ),
            DriverRow(
                "13.1.1, of a form",
                "GET",
                "/shop/app.js",
                [
                    ("Accept-Encoding", "br"), ("If-Match", "\"other\""),
                ],
                412,
                ["vary": "Accept-Encoding"]
            ),
        ]

        @Test("to each method", arguments: methodsRows)
        func methods(_ row: DriverRow) async throws { try await row.check() }

        @Test("with each status", arguments: statusesRows)
        func statuses(_ row: DriverRow) async throws { try await row.check() }

        @Test("from the cache", arguments: cachedRows)
        func cached(_ row: DriverRow) async throws { try await row.check() }

        @Test("in the form that the client takes", arguments: chosenRows)
        func chosen(_ row: DriverRow) async throws { try await row.check() }
    }
}
