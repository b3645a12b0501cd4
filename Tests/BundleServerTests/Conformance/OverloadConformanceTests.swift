import BundleTesting
import Testing

@testable import BundleServer

/// What is too much, for servers that allow nothing.
@Suite(
    "Overload, on every driver",
    .serialized,
    .timeLimit(.minutes(5)),
    .conformanceServers { $0.limits.requestsPerSecond = 0 }
)
struct OverloadConformanceTests {
    private static func row(_ method: String, _ target: String, _ fields: [(String, String)] = []) -> DriverRow {
        let expected: [String: String?] = ["retry-after": "1", "cache-status": "offline-bundles; detail=\"limit\""]
        return DriverRow("6585 §4", method, target, fields, 429, expected).withoutResponder()
            .except([.http2, .http2OverTLS], because: "HTTP/2 resets the stream (RFC 9113 §7, ENHANCE_YOUR_CALM)")
    }

    static let rows = [
        row("GET", "/shop/digits.bin"), row("HEAD", "/shop/digits.bin"), row("GET", "/shop/live.txt"),
        row("POST", "/shop/digits.bin"), row("GET", "/shop/digits.bin", [("Range", "bytes=0-1")]),
    ]

    @Test("too many requests are refused", arguments: rows)
    func requests(_ row: DriverRow) async throws { try await row.check() }
}
