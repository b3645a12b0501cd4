import BundleServing
import BundleStore
import BundleTesting
import Testing

extension DriverConformanceTests {
    /// The host that a request names, and what isn't a request.
    @Suite("Hosts and refusals")
    struct Hosts {
        private static let http2: [ConformanceDriver] = [.http2, .http2OverTLS]

        private static let reset = "libnghttp2 resets the stream (RFC 9113 §8.1.1)"

        static let rows: [DriverRow] = [
            DriverRow("7.2, with a port", [], 200).host("localhost:1"),
            DriverRow("7.2, an address", [], 200).host("127.0.0.1"),
            DriverRow("7.2, in capitals", [], 200).host("LOCALHOST"),
            DriverRow("7.2, an origin's", [], 200).host("m.example.com"),
            DriverRow("7.2, a bundle's", "GET", "/digits.bin", [], 200, content: ConformanceServers.digits)
                .host("shop.localhost"),
            DriverRow("15.5.20", [], 421, ["cache-status": "offline-bundles; detail=\"host\""]).host("a.example"),
            DriverRow("15.5.20, HEAD", "HEAD", [], 421).host("a.example:80"),
            DriverRow("15.5.20, POST", "POST", [], 421).host("a.example"),
            DriverRow("15.5.20, not there", "GET", "/nowhere", [], 421).host("a.example"),
            DriverRow("15.5.20, health", "GET", "/healthz", [], 200).host("a.example").from(.server, nil),
            DriverRow("9112 §3.2, none", [], 400).host(nil).withoutResponder().except(http2, because: reset),
            DriverRow("9112 §3.2, none, HEAD", "HEAD", [], 400).host(nil).withoutResponder().except(
                http2,
                because: reset
            ),
            DriverRow("9112 §3.2, no host", [], 400).host("a/b").withoutResponder().except(http2, because: reset),
            DriverRow("9112 §3.2, no host, POST", "POST", [], 400).host("a b").withoutResponder().except(
                http2,
                because: reset
            ),
            DriverRow("9112 §3.2, a user", [], 400).host("user@localhost").withoutResponder(),
        ]

        static let refusedRows: [DriverRow] = [
            DriverRow("9113 §8.3.1, a fragment", "GET", "/shop/digits.bin#a", [], 400).withoutResponder(),
            DriverRow("3986 §2, not ASCII", "GET", "/shop/\u{E9}.js", [], 400).withoutResponder(),
            DriverRow("9112 §3.2, no path", "GET", "shop/digits.bin", [], 400).withoutResponder()
                .except(http2, because: reset),
            DriverRow("9112 §6.1, another coding", [("Transfer-Encoding", "gzip, chunked")], 501)
                .withoutResponder()
                .except(http2, because: "HTTP/2 has no transfer codings (RFC 9113 §8.2.2)").recorded(asRequest: false),
        ]

        @Test("get a response, or a refusal", arguments: rows)
        func hosts(_ row: DriverRow) async throws { try await row.check() }

        @Test("what isn't a request is refused", arguments: refusedRows)
        func refused(_ row: DriverRow) async throws { try await row.check() }
    }
}
