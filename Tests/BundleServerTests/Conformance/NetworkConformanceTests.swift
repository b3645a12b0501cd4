import BundleServing
import Testing

extension DriverConformanceTests {
    /// What the bundle lacks.
    @Suite("The network")
    struct Network {
        private static let text = ConformanceOrigin.text
        private static let count = text.utf8.count
        private static let forwarded = "offline-bundles; fwd=uri-miss; fwd-status=200; stored; detail=\"network\""
        private static let navigation = [
            ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "navigate"), ("Accept", "text/html"),
        ]

        static let rows: [DriverRow] = [
            DriverRow("9111 §3, stored", "GET", "/shop/stored.txt", [], 200, content: text)
                .stored(count, forwarded),
            DriverRow("9111 §4, stored for GET", "HEAD", "/shop/stored.txt", [], 200, content: text)
                .from(.cache),
            DriverRow("9111 §4, a query is another URL", "GET", "/shop/stored.txt?a", [], 504),
            DriverRow("9111 §3, not stored", "GET", "/shop/live.txt", [], 200, content: text).relayed(count),
            DriverRow(
                "9111 §3, a page",
                "GET",
                "/shop/stored-page.txt",
                navigation,
                200,
                content: text
            ).stored(count, forwarded),
            DriverRow("6.4.1, of unknown length", "GET", "/shop/stream.txt", [], 200, content: text)
                .relayed(count, hasLength: false),
            DriverRow("15.5.5, the origin's", "GET", "/shop/gone.txt", [], 404, content: text).relayed(count),
            DriverRow("9.3.2, not stored", "HEAD", "/shop/live.txt", [], 200, content: text).relayed(0),
            DriverRow("9.3.2, of unknown length", "HEAD", "/shop/stream.txt", [], 200, content: text).relayed(0),
            DriverRow("14.2, not stored", "GET", "/shop/live.txt", [("Range", "bytes=0-3")], 200, content: text)
                .relayed(count),
            DriverRow("13.1.2, stored", "GET", "/shop/data.json", [("If-None-Match", "\"v1\"")], 304).from(.cache),
            DriverRow("9111 §5.2.1.7", "GET", "/shop/live.txt", [("Cache-Control", "only-if-cached")], 504),
            DriverRow("9111 §4.2.4, stale", "GET", "/shop/stale.txt", [], 200, content: text).from(.stale),
            DriverRow("15.6.5, a page", "GET", "/shop/nothing", navigation, 504, content: "<p>offline"),
            DriverRow("15.6.5, a page, HEAD", "HEAD", "/shop/nothing", navigation, 504, content: "<p>offline"),
            DriverRow("15.6.5, a cookie", "GET", "/shop/nothing.js", [("Cookie", "a=b")], 504),
        ]

        @Test("is asked for what isn't bundled", arguments: rows)
        func network(_ row: DriverRow) async throws { try await row.check() }
    }
}
