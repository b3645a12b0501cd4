import BundleNetwork
import BundleStore
import BundleTesting
import BundleTransport
import Testing

@testable import BundleServer
@testable import HTTPCore

@Suite("Bundles whose origin is the machine itself")
struct EndpointOriginNetworkTests {
    @Test("can't read the operators' listener through the endpoint", arguments: [[], [NetworkScope.loopback]])
    func operators(allowed: [NetworkScope]) async throws {
        try await withStore { store in
            try await serve(store, on: "0.0.0.0", allowing: allowed, admin: "0.0.0.0") { endpoint, log async throws in
                let line = try await log.line(containing: "metrics and health are at http://")
                let port = line.split(separator: ":").last ?? ""
                try store.installShop(origin: "http://127.0.0.1:\(port)/")
                let response = try await Self.responded(endpoint, "/shop/metrics")
                #expect(response.status == 504)
                #expect(response["cache-status"]?.contains(#"detail="origin denied""#) == true)
                #expect(!response.text.contains("bundlectl_"))
                #expect(log.lines.filter { $0.contains("was not connected to") }.count == 1)
            }
        }
    }

    @Test("can't read the endpoint under another name")
    func itself() async throws {
        try await withStore { store in
            try await serve(store, on: "127.0.0.1", allowing: [], admin: nil) { endpoint, log async throws in
                try store.installShop(origin: "http://localhost:\(endpoint.port)/")
                #expect(try await Self.responded(endpoint, "/shop/x").status == 504)
                #expect(try await log.line(containing: "this process itself listens").contains("\(endpoint.port)"))
            }
        }
    }

    @Test(
        "reach its other servers where the endpoint's clients can, or the operator allows it",
        arguments: [
            ("127.0.0.1", [], 200), ("0.0.0.0", [], 504), ("0.0.0.0", [.private], 504), ("0.0.0.0", [.loopback], 200),
        ] as [(String, [NetworkScope], Int)]
    )
    func others(listening: String, allowed: [NetworkScope], status: Int) async throws {
        try await withOriginServer { origin in
            origin.route("/data.json", to: ScriptedResponse("[1]"))
            try await withStore { store in
                try store.installShop(origin: origin.baseURL + "/")
                try await serve(store, on: listening, allowing: allowed, admin: nil) { endpoint, _ async throws in
                    #expect(try await endpoint.get("/shop/data.json").status == status)
                    #expect(origin.requests.isEmpty == (status == 504))
                }
            }
        }
    }

    /// Sends requests until the endpoint serves the bundle.
    private static func responded(_ endpoint: RunningEndpoint, _ path: String) async throws -> RawResponse {
        while true {
            let response = try await endpoint.get(path)
            if response.status != 404 { return response }
        }
    }

    private func serve(
        _ store: BundleStore,
        on host: String,
        allowing scopes: [NetworkScope],
        admin: String?,
        _ body: (RunningEndpoint, RecordedLog) async throws -> Void
    ) async throws {
        let network = OriginNetwork(OriginAddressPolicy(allowing: Set(scopes)))
        let log = RecordedLog()
        try await withTransport(NIOTransport(network: network)) { transport in
            try await withEndpoint(store, transport: transport, log: log) { configuration in
                configuration.address = .tcp(host: host, port: 0)
                configuration.admin = admin.map { .tcp(host: $0, port: 0) }
                configuration.originNetwork = network
            } _: { endpoint in
                try await body(endpoint, log)
            }
        }
    }
}
