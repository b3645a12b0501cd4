import BundleNetwork
import BundleStore
import BundleTesting
import BundleTransport
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("The network behind the endpoint")
struct EndpointNetworkTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=3600", .contentType: "text/plain"]

    @Test("what the bundle lacks comes from the network, and then from the cache, even without the origin")
    func fallback() async throws {
        try await withOriginAndEndpoint { origin, endpoint in
            origin.route("/data.json", to: ScriptedResponse(fields: Self.fresh, body: Array("[1]".utf8)))
            let first = try await endpoint.get("/shop/data.json")
            #expect(first.text == "[1]")
            #expect(first["cache-status"]?.contains("fwd=uri-miss") == true)
            #expect(first["content-length"] == "3")
            let second = try await endpoint.get("/shop/data.json")
            #expect(second.text == "[1]")
            #expect(second["cache-status"]?.contains("hit") == true)
            await origin.stop()
            #expect(try await endpoint.get("/shop/data.json").text == "[1]")
            #expect(origin.requestedPaths == ["/data.json"])
        }
    }

    @Test("a stale response is served when the origin can't be reached")
    func stale() async throws {
        try await withOriginAndEndpoint { origin, endpoint in
            let fields: HTTPFields = [.cacheControl: "max-age=0", .eTag: "\"1\""]
            origin.route("/data.json", to: ScriptedResponse(fields: fields, body: Array("old".utf8)))
            _ = try await endpoint.get("/shop/data.json")
            await origin.stop()
            let response = try await endpoint.get("/shop/data.json")
            #expect(response.status == 200)
            #expect(response.text == "old")
            #expect(response["cache-status"]?.contains("stale") == true)
        }
    }

    @Test("concurrent requests for one missing file make one request to the origin")
    func singleFlight() async throws {
        try await withOriginAndEndpoint { origin, endpoint in
            let latch = Latch()
            origin.route("/big.txt") { _ in
                try await latch.wait()
                return ScriptedResponse(fields: Self.fresh, body: Array("big".utf8))
            }
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await endpoint.get("/shop/big.txt").text } }
                try await latch.waitForArrivals()
                latch.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "big", count: 20))
            #expect(origin.requestedPaths == ["/big.txt"])
        }
    }

    @Test("without network and stored response, a navigation gets the offline page, and other requests an explanation")
    func offline() async throws {
        try await withOriginAndEndpoint { origin, endpoint in
            await origin.stop()
            let page = try await endpoint.get(
                "/news",
                host: "shop.localhost",
                ["Accept: text/html", "Sec-Fetch-Mode: navigate"]
            )
            #expect(page.status == 504)
            #expect(page.text == "<p>You are offline.")
            let script = try await endpoint.get("/shop/missing.js", host: "localhost", ["Accept: */*"])
            #expect(script.status == 504)
            #expect(script["content-type"]?.hasPrefix("text/plain") == true)
        }
    }

    @Test("an endpoint that is offline sends no request to an origin")
    func isOffline() async throws {
        try await withOriginAndEndpoint(configure: { $0.isOffline = true }) { origin, endpoint async throws in
            #expect(try await endpoint.get("/shop/data.json").status == 504)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test("a response that isn't stored is relayed with its Date, and framed for each version of HTTP")
    func passing() async throws {
        try await withOriginAndEndpoint { origin, endpoint in
            let body = [UInt8](repeating: 7, count: 1_000_000)
            let date = "Thu, 01 Jan 2026 00:00:00 GMT"
            origin.route("/live", to: ScriptedResponse(fields: [.cacheControl: "no-store", .date: date], body: body))
            origin.fail("/live", with: [.chunked])
            let chunked = try await endpoint.get("/shop/live")
            #expect(chunked["transfer-encoding"] == "chunked")
            #expect(chunked["date"] == date)
            #expect(chunked.body == body)
            let old = try await withRawConnection(to: endpoint.port) { connection in
                try await connection.request("GET /shop/live HTTP/1.0")
            }
            #expect(old["transfer-encoding"] == nil)
            #expect(old.body == body)
        }
    }

    @Test("a HEAD without a length leaves the connection usable")
    func headOfUnknownLength() async throws {
        try await withOriginAndEndpoint { origin, endpoint in
            origin.route("/live", to: ScriptedResponse(fields: [.cacheControl: "no-store"], body: [1, 2, 3]))
            origin.fail("/live", with: [.chunked])
            try await withRawConnection(to: endpoint.port) { connection in
                let head = try await connection.request("HEAD /shop/live HTTP/1.1", ["Host: localhost"])
                #expect(head.status == 200)
                #expect(try await connection.get("/shop/app.js").text == "run()")
            }
        }
    }

    @Test(
        "a response that the origin doesn't complete resets the client's connection",
        arguments: [
            ("HTTP/1.1", [OriginFault.close(afterBodyBytes: 100_000)]),
            ("HTTP/1.1", [.chunked, .close(afterBodyBytes: 100_000)]),
            ("HTTP/1.0", [.chunked, .close(afterBodyBytes: 100_000)]),
        ]
    )
    func brokenOrigin(_ version: String, _ faults: [OriginFault]) async throws {
        try await withOriginAndEndpoint { origin, endpoint async throws in
            origin.breakOff(with: faults)
            await #expect(throws: (any Error).self) {
                try await withRawConnection(to: endpoint.port) { connection in
                    _ = try await connection.request("GET /shop/live \(version)", ["Host: localhost"])
                }
            }
            #expect(try await endpoint.get("/shop/app.js").text == "run()")
        }
    }

    @Test("over TLS such an end has no close_notify (RFC 9112 §9.8)", arguments: ["HTTP/1.1", "HTTP/1.0"])
    func brokenOriginOverTLS(_ version: String) async throws {
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("localhost", in: folder)
            let files = TLSFiles(certificate: certificate.certificate, key: certificate.key)
            try await withOriginAndEndpoint(configure: { $0.tls = files }) { origin, endpoint async throws in
                origin.breakOff(with: [.chunked, .close(afterBodyBytes: 100_000)])
                await #expect(throws: (any Error).self) {
                    try await withRawConnection(to: endpoint.port, offering: "http/1.1") { connection in
                        _ = try await connection.request("GET /shop/live \(version)", ["Host: localhost"])
                    }
                }
            }
        }
    }
}

extension OriginServer {
    /// Begins a long response at `/live` that must not be stored, and doesn't end it.
    fileprivate func breakOff(with faults: [OriginFault]) {
        let body = [UInt8](repeating: 7, count: 1_000_000)
        route("/live", to: ScriptedResponse(fields: [.cacheControl: "no-store"], body: body))
        fail("/live", with: faults)
    }
}

private func withOriginAndEndpoint(
    configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
    _ body: (OriginServer, RunningEndpoint) async throws -> Void
) async throws {
    try await withTransport(NIOTransport()) { transport in
        try await withOriginServer { origin in
            try await withStore { store in
                try store.installShop(origin: origin.baseURL + "/")
                try await withEndpoint(store, transport: transport, configure: configure) { endpoint in
                    try await body(origin, endpoint)
                }
            }
        }
    }
}
