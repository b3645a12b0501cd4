import BundleServing
import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

/// The fields that the user lets the endpoint add, and the origins whose pages may read the responses (Fetch standard,
/// “CORS protocol”).
@Suite(
    "Added fields, on every driver",
    .serialized,
    .conformanceServers {
        $0.headerFields = [("X-Frame-Options", "DENY"), ("Strict-Transport-Security", "max-age=60")]
            .compactMap { HeaderField(name: $0.0, value: $0.1) }
        $0.allowedOrigins = [.named("https://app.example")]
    }
)
struct AddedFieldConformanceTests {
    private static let origin = ("Origin", "https://app.example")
    private static let long = "/" + String(repeating: "x", count: 8_200)

    static let rows: [DriverRow] = [
        DriverRow("12.5.5", [], 200, ["x-frame-options": "DENY", "vary": "Origin"]),
        DriverRow("12.5.5", "HEAD", "/shop/app.js", [], 200, ["vary": "Accept-Encoding, Origin"]),
        DriverRow(
            "12.5.5, an origin",
            [origin],
            200,
            [
                "access-control-allow-origin": "https://app.example", "vary": "Origin",
                "access-control-expose-headers":
                    "Accept-Ranges, Cache-Status, Content-Encoding, Content-Range, Date, ETag",
            ]
        ),
        DriverRow("12.5.5, another", [("Origin", "https://b.example")], 200, ["access-control-allow-origin": nil]),
        DriverRow("15.4.5", [("If-None-Match", "{tag}")], 304, ["x-frame-options": nil, "vary": "Origin"]),
        DriverRow("15.4.5, another tag", [("If-None-Match", "\"x\"")], 200, ["vary": "Origin"]),
        DriverRow(
            "15.4.5, an origin",
            [("If-None-Match", "{tag}"), origin],
            304,
            [
                "access-control-allow-origin": "https://app.example", "vary": "Origin",
            ]
        ),
        DriverRow(
            "15.3.7",
            [("Range", "bytes=0-1"), origin],
            206,
            [
                "x-frame-options": "DENY", "access-control-allow-origin": "https://app.example",
            ]
        ),
        DriverRow(
            "15.5.5",
            "GET",
            "/nowhere",
            [origin],
            404,
            [
                "x-frame-options": "DENY", "access-control-allow-origin": "https://app.example",
            ]
        ),
        DriverRow("15.5.15", "GET", long, [], 414, ["x-frame-options": "DENY"]).withoutResponder(),
        DriverRow(
            "9111 §4",
            "GET",
            "/shop/data.json",
            [origin],
            200,
            [
                "access-control-allow-origin": "https://app.example", "vary": "Accept-Language, Origin",
            ]
        ).from(.cache),
        DriverRow(
            "9.3.7, a preflight",
            "OPTIONS",
            [origin, ("Access-Control-Request-Method", "GET")],
            204,
            [
                "access-control-allow-methods": "GET, HEAD, OPTIONS", "access-control-max-age": "7200",
            ]
        ).from(.active),
    ]

    @Test("are the same", arguments: rows)
    func added(_ row: DriverRow) async throws { try await row.check() }

    @Test("keep HSTS for TLS (RFC 6797 §7.2)", arguments: ["/shop/digits.bin", "/nowhere", long])
    func transportSecurity(_ target: String) async throws {
        let servers = try #require(ConformanceServers.current)
        for server in servers.all where server.driver != .responder {
            for exchange in try await server.exchanges(of: ConformanceRequest("GET", target), count: 2) {
                let expected = server.driver.isSecure ? "max-age=60" : nil
                #expect(exchange.response["strict-transport-security"] == expected, "\(server)")
            }
        }
    }
}
