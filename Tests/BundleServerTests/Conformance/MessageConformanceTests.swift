import BundleServing
import BundleTesting
import Testing

extension DriverConformanceTests {
    /// What a request has besides its target: content, and fields that decide nothing.
    @Suite("Messages")
    struct Messages {
        private static let http2: [ConformanceDriver] = [.http2, .http2OverTLS]
        private static let digits = ConformanceServers.digits

        static let contentRows: [DriverRow] = [
            DriverRow("9.3.1, with content", [], 200).sending("hello"),
            DriverRow("9.3.2, with content", "HEAD", [], 200).sending("hello"),
            DriverRow("9.3.3, with content", "POST", "/alone/a", [("Content-Type", "text/plain")], 405).from(
                .server,
                "alone@1.0.0"
            ).sending("hello"),
            DriverRow("9.3.3, without content", "POST", "/alone/a", [("Content-Length", "0")], 405).from(
                .server,
                "alone@1.0.0"
            ),
            DriverRow("9.3.4", "PUT", "/alone/live.txt", [], 405).from(.server, "alone@1.0.0").sending("hello"),
            DriverRow("10.1.1, not waited for", "PUT", "/alone/a", [("Expect", "100-continue")], 405).from(
                .server,
                "alone@1.0.0"
            ).sending("hello"),
            DriverRow("9112 §7.1, in chunks", [], 200).sending("hello", inChunks: true)
                .except(http2, because: "HTTP/2 has no transfer codings (RFC 9113 §8.2.2)"),
            DriverRow("9112 §7.1, in chunks that nothing reads", "POST", "/alone/a", [], 405).from(
                .server,
                "alone@1.0.0"
            )
            .sending("hello", inChunks: true)
            .except(http2, because: "HTTP/2 has no transfer codings (RFC 9113 §8.2.2)"),
        ]

        static let fieldsRows: [DriverRow] = [
            DriverRow(
                "10.1.5",
                [("User-Agent", "Test/1.0 (a \"b\" \\c)"), ("Referer", "http://a.example/?q=\"")],
                200
            ),
            DriverRow("10.1.5, in UTF-8", [("User-Agent", "\u{C3}\u{A9}")], 200),
            DriverRow("10.1.5, in Latin-1", [("User-Agent", "\u{E9}t\u{E9}"), ("Referer", "\u{E9}")], 200),
            DriverRow(
                "10.1.5, of what isn't plain",
                "POST",
                "/alone/a",
                [("User-Agent", "\u{E9}t\u{E9}"), ("Referer", "\u{E9}")],
                405
            ).from(.server, "alone@1.0.0"),
            DriverRow(
                "10.1.5, of what isn't there",
                "GET",
                "/nowhere",
                [("User-Agent", "a"), ("Referer", "b")],
                404
            ),
            DriverRow(
                "5.1, unknown",
                [("X-Unknown", "1"), ("Accept-Language", "de"), ("Cache-Control", "no-cache")],
                200
            ),
            DriverRow("9111 §5.2.1.1, of a file", [("Cache-Control", "max-age=0"), ("Pragma", "no-cache")], 200),
            DriverRow("9111 §5.2.1.7, of a file", [("Cache-Control", "only-if-cached")], 200),
            DriverRow("7.6.1, the last", [("Connection", "close")], 200)
                .except(http2, because: "HTTP/2 has no Connection field (RFC 9113 §8.2.2)"),
            DriverRow("7.8, an upgrade", [("Connection", "upgrade"), ("Upgrade", "websocket")], 200)
                .except(http2, because: "HTTP/2 has no Upgrade field (RFC 9113 §8.6)"),
        ]

        private static func absolute(_ section: String, _ target: String, _ status: Int) -> DriverRow {
            DriverRow(section, "GET", target, [], status, content: status == 200 ? digits : nil).withoutResponder()
                .except(http2, because: "HTTP/2 has no absolute form (RFC 9113 §8.3.1)")
        }

        static let targetRows: [DriverRow] = [
            DriverRow("4.2.3, an escape", "GET", "/shop/digits%2Ebin", [], 200, content: digits),
            DriverRow("4.1, two slashes", "GET", "/shop//digits.bin", [], 404),
            DriverRow("4.1, two dots", "GET", "/shop/../shop/digits.bin", [], 404),
            DriverRow("4.1, odd characters", "GET", "/shop/digits.bin?\"<\\>", [], 200, content: digits),
            absolute("9112 §3.2.2, the server's", "{scheme}://localhost:{port}/shop/digits.bin", 200),
            absolute("9112 §3.2.2, another port's", "{scheme}://localhost:1/shop/digits.bin", 404),
            absolute("9112 §3.2.2, an origin's", "https://m.example.com/shop/digits.bin", 200),
        ]

        @Test("with content", arguments: contentRows)
        func content(_ row: DriverRow) async throws { try await row.check() }

        @Test("with fields that decide nothing", arguments: fieldsRows)
        func fields(_ row: DriverRow) async throws { try await row.check() }

        @Test("for each form of target", arguments: targetRows)
        func target(_ row: DriverRow) async throws { try await row.check() }
    }
}
