import BundleServing
import BundleTesting
import Testing

extension DriverConformanceTests {
    /// What a browser asks for a page and its parts.
    @Suite("Pages")
    struct Pages {
        private static let cookie = "offline-bundles.shop=1.0.0"
        /// One for the page's parts, and one for its calls, which are above them.
        private static let mark = ["/shop/", "/.bundles/shop"].map { "\(cookie); Path=\($0); SameSite=Lax; HttpOnly" }
            .joined(separator: "\n")
        private static let ownMark = "\(cookie); Path=/; SameSite=Lax; HttpOnly"
        private static let timing = #"bundle;desc="shop@1.0.0""#
        private static let document = ("Sec-Fetch-Dest", "document")

        static let pagesRows: [DriverRow] = [
            DriverRow(
                "6265 §3.1, a page",
                "GET",
                "/shop/",
                [document],
                200,
                ["set-cookie": mark, "server-timing": timing],
                content: "<p>shop"
            ),
            DriverRow(
                "6265 §3.1, told",
                "GET",
                "/shop/",
                [document, ("Cookie", "a=b; \(cookie)")],
                200,
                ["set-cookie": nil, "server-timing": timing]
            ),
            DriverRow("6265 §5.1.4, an origin's", "GET", "/shop/", [document], 200, ["set-cookie": mark])
                .host("m.example.com"),
            DriverRow("6265 §5.1.4, its own", "GET", "/", [document], 200, ["set-cookie": ownMark])
                .host("shop.localhost"),
            DriverRow("6265 §3.1, HEAD", "HEAD", "/shop/index.html", [document], 200, ["set-cookie": mark]),
            DriverRow(
                "6265 §3.1, unchanged",
                "GET",
                "/shop/",
                [document, ("If-None-Match", "*")],
                304,
                ["set-cookie": mark, "server-timing": timing]
            ),
            DriverRow(
                "6265 §3.1, refused",
                "GET",
                "/shop/",
                [document, ("If-Match", "\"x\"")],
                412,
                ["set-cookie": nil]
            ),
            DriverRow(
                "6265 §3.1, a part",
                "GET",
                "/shop/app.js",
                [document],
                200,
                ["set-cookie": nil, "server-timing": nil]
            ),
            DriverRow(
                "6265 §3.1, from another site",
                "GET",
                "/shop/",
                [document, ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-User", "?1")],
                200,
                ["set-cookie": mark],
                content: "<p>shop"
            ),
            DriverRow(
                "Fetch, a script",
                "GET",
                "/shop/app.js",
                [("Sec-Fetch-Dest", "script"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Site", "same-origin")],
                200,
                ["set-cookie": nil],
                content: ConformanceServers.script
            ),
            DriverRow("Service Workers, none here", "GET", "/sw.js", [("Service-Worker", "script")], 200)
                .from(.server, nil),
            DriverRow(
                "6265 §3.1, a frame",
                "GET",
                "/shop/",
                [("Sec-Fetch-Dest", "iframe")],
                200,
                ["set-cookie": nil]
            ),
        ]

        private static let json = [("Content-Type", "application/json"), ("Sec-Fetch-Site", "same-origin")]

        private static let noContent = "it gives the responder no content"

        static let callRows: [DriverRow] = [
            DriverRow("Page calls", "GET", "/.bundles/shop", [], 200, ["cache-control": "no-store"]).from(
                .server,
                nil
            ),
            DriverRow("Page calls", "HEAD", "/.bundles/shop", [], 200, ["content-type": "application/json"])
                .from(.server, nil),
            DriverRow("Page calls", "GET", "/.bundles/shop", [("Sec-Fetch-Site", "cross-site")], 403),
            DriverRow("Page calls", "GET", "/.bundles/shop?page=0.9.0", [("Cookie", cookie)], 200).from(
                .server,
                nil
            ),
            DriverRow("Page calls", "DELETE", "/.bundles/shop", [], 405, ["allow": "GET, HEAD"]),
            DriverRow("Page calls", "POST", "/.bundles/shop/good", json + [("Cookie", cookie)], 204).sending("{}")
                .except([.responder], because: noContent),
            DriverRow("Page calls", "POST", "/.bundles/shop/good", json, 409).sending("{}").except(
                [.responder],
                because: noContent
            ),
            DriverRow("Page calls", "POST", "/.bundles/shop/good", json, 400).sending("nonce").except(
                [.responder],
                because: noContent
            ).recorded(asRequest: true),
            DriverRow("Page calls", "POST", "/.bundles/shop/bad", json, 204).sending(
                #"{"message": "a script threw"}"#
            ).except([.responder], because: noContent),
            DriverRow("Page calls", "GET", "/.bundles/shop/update", [], 405, ["allow": "POST"]),
            DriverRow("Page calls", "POST", "/.bundles/shop/update", json, 403).sending("{}").except(
                [.responder],
                because: noContent
            ),
            DriverRow("Page calls", "POST", "/.bundles/shop/bad", [("Content-Type", "text/plain")], 415).sending(
                "x"
            ),
        ]

        private static func script(_ cookies: [String], _ content: String) -> DriverRow {
            let fields = cookies.map { ("Cookie", $0) } + [("Sec-Fetch-Dest", "script")]
            return DriverRow(
                "6265 §4.2",
                "GET",
                "/shop/app.js",
                fields,
                200,
                ["set-cookie": nil],
                content: content
            )
        }

        static let cookiesRows: [DriverRow] =
            [
                ["offline-bundles.shop=0.9.0"], ["a=b; offline-bundles.shop=0.9.0; c=d"],
                ["a=b", "offline-bundles.shop=0.9.0"],
            ].map { script($0, ConformanceServers.olderScript).from(.retained, "shop@0.9.0") }
            + [
                [cookie], ["offline-bundles.shop=0.8.0"], ["a=b"], ["a=b", "c=d"], ["offline-bundles.alone=0.9.0"],
                ["xoffline-bundles.shop=0.9.0"], [""],
            ].map { script($0, ConformanceServers.script) }
            + [
                DriverRow(
                    "6265 §4.2, HEAD",
                    "HEAD",
                    "/shop/app.js",
                    [("Cookie", "offline-bundles.shop=0.9.0")],
                    200,
                    ["content-length": "\(ConformanceServers.olderScript.utf8.count)"]
                ).from(.retained, "shop@0.9.0"),
                DriverRow(
                    "6265 §4.2, a part",
                    "GET",
                    "/shop/app.js",
                    [("Cookie", "offline-bundles.shop=0.9.0"), ("Range", "bytes=0-7")],
                    206,
                    content: "function"
                ).from(.retained, "shop@0.9.0"),
                // A new page begins on the active version.
                DriverRow(
                    "6265 §4.2, a page",
                    "GET",
                    "/shop/",
                    [document, ("Cookie", "offline-bundles.shop=0.9.0")],
                    200,
                    ["set-cookie": mark],
                    content: "<p>shop"
                ),
            ]

        @Test("to a part of a page, from the version of the page", arguments: cookiesRows)
        func cookies(_ row: DriverRow) async throws { try await row.check() }

        @Test("to a page that asks about its bundle", arguments: callRows)
        func calls(_ row: DriverRow) async throws { try await row.check() }

        @Test("to a page, with its version", arguments: pagesRows)
        func pages(_ row: DriverRow) async throws { try await row.check() }
    }
}
