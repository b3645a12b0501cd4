import BundleServing
import BundleStore
import Testing

@testable import BundleServer

/// Clients on this machine get files as they are, though there are coded forms, which clients elsewhere have asked for.
@Suite(
    "Clients on this machine, on every driver",
    .serialized,
    .timeLimit(.minutes(5)),
    .conformanceServers { $0.codesForLocalClients = false }
)
struct LocalClientConformanceTests {
    private static let script: [String: String?] = [
        "content-encoding": nil, "vary": "Accept-Encoding", "etag": "{script-tag}",
    ]
    private static let whole = script.merging(["content-length": "1800"]) { $1 }
    private static let library: [String: String?] = [
        "content-encoding": nil, "vary": "Accept-Encoding, Available-Dictionary", "use-as-dictionary": nil,
    ]
    private static let browser = ("Accept-Encoding", "gzip, deflate, br, zstd, dcz")

    static let rows: [DriverRow] = [
        DriverRow("12.5.3", "GET", "/shop/app.js", [browser], 200, whole, content: ConformanceServers.script),
        DriverRow("12.5.3, HEAD", "HEAD", "/shop/app.js", [browser], 200, whole),
        DriverRow("12.5.3, no field", "GET", "/shop/app.js", [], 200, whole),
        DriverRow(
            "12.5.3, only one",
            "GET",
            "/shop/app.js",
            [("Accept-Encoding", "br, identity;q=0")],
            200,
            whole
        ),
        DriverRow(
            "9842 §2",
            "GET",
            "/shop/lib.4e5f96b7.js",
            [browser, ("Available-Dictionary", ":{dictionary}:")],
            200,
            library,
            content: ConformanceServers.library
        ),
        DriverRow("15.4.5", "GET", "/shop/app.js", [browser, ("If-None-Match", "{script-tag}")], 304, script),
        // The client has the form that it got when it came another way.
        DriverRow("15.4.5, coded", "GET", "/shop/app.js", [browser, ("If-None-Match", "{br-tag}")], 200, whole),
        DriverRow(
            "13.1.5, coded",
            "GET",
            "/shop/app.js",
            [browser, ("Range", "bytes=0-7"), ("If-Range", "{br-tag}")],
            200,
            whole
        ),
        DriverRow(
            "14.2",
            "GET",
            "/shop/app.js",
            [browser, ("Range", "bytes=0-7"), ("If-Range", "{script-tag}")],
            206,
            script,
            content: "function"
        ),
    ]

    @Test("get files as they are", arguments: rows)
    func files(_ row: DriverRow) async throws { try await row.check() }
}
