import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import BundleServer

@Suite("Operators' listener")
struct AdminListenerTests {
    @Test("metrics cover requests, the store and the process")
    func metrics() async throws {
        try await withStore { store in
            try store.installShop()
            try await withAdmin(store) { endpoint, port in
                #expect(try await endpoint.get("/shop/app.js").status == 200)
                #expect(try await endpoint.get("/shop/missing.js").status == 504)
                let page = try await Self.get("/metrics", port)
                #expect(page.status == 200)
                #expect(page["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
                let lines = page.text.split(separator: "\n").map(String.init)
                #expect(lines.contains(#"bundlectl_http_requests_total{layer="active",code="200"} 1"#))
                #expect(lines.contains(#"bundlectl_http_requests_total{layer="miss",code="504"} 1"#))
                #expect(lines.contains(#"bundlectl_http_response_body_bytes_total{layer="active"} 5"#))
                #expect(lines.contains("bundlectl_http_connections_accepted_total 2"))
                #expect(lines.contains(#"bundlectl_release_info{bundle="shop",version="1.0.0",state="active"} 1"#))
                #expect(lines.contains(#"bundlectl_store_bytes{kind="dead"} 0"#))
                #expect(lines.contains { $0.hasPrefix("process_cpu_seconds_total ") })
                #expect(lines.contains(#"bundlectl_build_info{version="\#(ProductVersion.string)"} 1"#))
                try Self.expectWellFormed(lines)
            }
        }
    }

    @Test("requests after one that migrated the connection are counted as well")
    func keptConnection() async throws {
        try await withStore { store in
            try store.installShop()
            try await withAdmin(store) { endpoint, port in
                try await withRawConnection(to: endpoint.port) { connection async throws in
                    #expect(try await connection.get("/shop/app.js", ["Range: bytes=0-0"]).status == 206)
                    for _ in 0..<2 { #expect(try await connection.get("/shop/app.js").status == 200) }
                }
                let page = try await Self.get("/metrics", port).text
                #expect(page.contains(#"bundlectl_http_requests_total{layer="active",code="200"} 2"#))
                #expect(page.contains(#"bundlectl_http_requests_total{layer="active",code="206"} 1"#))
                #expect(page.contains("bundlectl_http_connections_accepted_total 1\n"))
            }
        }
    }

    @Test(
        "health and readiness are served here too, and nothing else",
        arguments: [
            ("GET /healthz HTTP/1.1", 200), ("HEAD /readyz HTTP/1.1", 200), ("GET /shop/app.js HTTP/1.1", 404),
            ("POST /metrics HTTP/1.1", 405), ("nonsense", 400),
        ]
    )
    func paths(_ line: String, _ status: Int) async throws {
        try await withStore { store in
            try store.installShop()
            try await withAdmin(store) { _, port in
                let response = try await withRawConnection(to: port) { connection in
                    let response = try await connection.request(line, ["Host: localhost", "Connection: close"])
                    #expect(try await connection.rest().isEmpty)
                    return response
                }
                #expect(response.status == status)
            }
        }
    }

    @Test(
        "metrics are for the machine's own hosts, so that rebinding a name to this machine reads nothing; probes for any",
        arguments: [
            ("localhost", 200), ("127.0.0.1:9090", 200), ("[::1]", 200), ("kiosk.example", 200), ("evil.example", 421),
            ("m.example.com", 421), ("10.0.0.9:9090", 421),
        ]
    )
    func hosts(_ host: String, _ status: Int) async throws {
        try await withStore { store in
            try store.installShop()
            try await withAdmin(store, allowing: [.named("kiosk.example")]) { _, port in
                let page = try await withRawConnection(to: port) { try await $0.get("/metrics", host: host) }
                #expect(page.status == status)
                #expect(page.text.contains("bundlectl_release_info") == (status == 200))
                let probe = try await withRawConnection(to: port) { try await $0.get("/healthz", host: host) }
                #expect(probe.status == 200)
            }
        }
    }

    @Test(
        "a malformed request is refused",
        arguments: ["Host: a b", "Host: localhost\r\nHost: localhost", "X: y"]
    )
    func malformed(_ fields: String) async throws {
        try await withStore { store in
            try await withAdmin(store) { _, port in
                let response = try await withRawConnection(to: port) {
                    try await $0.request("GET /metrics HTTP/1.1", [fields])
                }
                #expect(response.status == 400)
            }
        }
    }

    @Test(
        "the number of connections is limited, and who only connects doesn't shut out probes and metrics",
        .timeLimit(.minutes(5)),
        arguments: ["", "GET /metrics HTT", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    )
    func tooMany(_ beginning: String) async throws {
        try await withStore { store in
            try await withAdmin(store) { _, port in
                let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                var channels: [any Channel] = []
                for _ in 0..<80 {
                    let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
                    try? await channel.writeAndFlush(ByteBuffer(string: beginning))
                    channels.append(channel)
                }
                let limit = AdminListener.maximumConnectionCountPerAddress
                await withTaskGroup { group in
                    for channel in channels { group.addTask { try? await channel.closeFuture.get() } }
                    // Each new one beyond the limit has made an old one close.
                    for _ in 0..<80 - limit { await group.next() }
                    #expect(channels.suffix(8).allSatisfy(\.isActive) && !channels[0].isActive)
                    for path in ["/healthz", "/metrics"] {
                        let status = try? await Self.get(path, port).status
                        #expect(status == 200)
                    }
                    #expect(channels.count(where: \.isActive) <= limit)
                    for channel in channels { channel.close(promise: nil) }
                }
            }
        }
    }

    @Test("a connection ends in time, whatever content is sent on it", .timeLimit(.minutes(5)))
    func lifetime() async throws {
        try await withStore { store in
            let socket = try #require(try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0)).first)
            let listener = AdminListener(
                sockets: [socket],
                responder: Self.responder(store),
                logger: RecordedLog().logger,
                timeout: .milliseconds(100)
            )
            let running = Task { try await listener.run() }
            let port = try #require(socket.url().split(separator: ":").last.flatMap { Int($0) })
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: head))
            while channel.isActive {
                try? await channel.writeAndFlush(ByteBuffer(string: "a"))
                // Slowly, measured in requests on another connection, which may also reach its time limit.
                _ = try? await Self.get("/healthz", port)
            }
            running.cancel()
            try await running.value
        }
    }

    @Test("while the endpoint drains it is not ready, and operators still get that response")
    func draining() async throws {
        let origin = LatchedOrigin()
        try await withStore { store in
            try store.installShop()
            try await withAdmin(store, transport: origin) { endpoint, port in
                #expect(try await Self.get("/readyz", port).status == 200)
                try await withRawConnection(to: endpoint.port) { connection in
                    try await connection.send("GET /shop/missing.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    try await origin.latch.waitForArrivals()
                    await endpoint.group.triggerGracefulShutdown()
                    var response = try await Self.get("/readyz", port)
                    while response.status == 200 { response = try await Self.get("/readyz", port) }
                    #expect(response.status == 503)
                    #expect(response.text == "The server is shutting down.\n")
                    origin.latch.open()
                    #expect(try await connection.response().status == 200)
                }
            }
        }
    }

    @Test("without a bundle that covers them, the endpoint itself responds to probes, on any host")
    func probes() async throws {
        try await withStore { store in
            try store.install(#"{"name": "healthz", "version": "1.0.0", "origins": []}"#, ["index.html": "mine"])
            try await withEndpoint(store) { endpoint in
                for path in ["/healthz", "/readyz"] {
                    for host in ["localhost", "10.0.0.9:8080"] {
                        let response = try await endpoint.get(path, host: host)
                        #expect(response.status == (path == "/healthz" && host == "localhost" ? 301 : 200))
                        #expect(response["cache-control"] == "no-store")
                    }
                }
                #expect(try await endpoint.get("/", host: "10.0.0.9:8080").status == 421)
            }
        }
    }

    @Test("probes aren't sent to the origin of a bundle that is mounted at the root and has no such files")
    func probesOfMountedBundle() async throws {
        try await withStore { store in
            try store.installShop(origin: "https://m.example.com/shop/")
            let network = ScriptedTransport()
            let mount = try #require(Mount("shop=/"))
            try await withEndpoint(store, transport: network, configure: { $0.addresses.mounts = [mount] }) {
                endpoint async throws in
                #expect(try await endpoint.get("/app.js").text == "run()")
                for path in ["/healthz", "/readyz"] { #expect(try await endpoint.get(path).text == "ok\n") }
                #expect(network.requests.isEmpty)
            }
        }
    }

    private func withAdmin(
        _ store: BundleStore,
        transport: any OriginTransport = UnreachableNetwork(),
        allowing hosts: Set<AllowedHost> = [],
        _ body: (RunningEndpoint, _ port: Int) async throws -> Void
    ) async throws {
        let log = RecordedLog()
        try await withEndpoint(
            store,
            transport: transport,
            log: log,
            configure: { configuration in
                configuration.admin = .tcp(host: "127.0.0.1", port: 0)
                configuration.allowedHosts = hosts
            }
        ) {
            endpoint in
            let line = try await log.line(containing: "metrics and health are at http://")
            let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
            try await body(endpoint, port)
        }
    }

    private static func responder(_ store: BundleStore) -> AdminResponder {
        let logger = RecordedLog().logger
        let source = DashboardSource { StreamEvent("{}") }
        let token = AdminToken()
        let jobs = DashboardJobs(nil, isOffline: true, logger: logger)
        return AdminResponder(
            hosts: { OwnHosts(listening: .tcp(host: "127.0.0.1", port: 0), allowed: []) },
            health: EndpointHealth(),
            metrics: MetricSources(store),
            dashboard: DashboardResponder(
                gate: DashboardGate(token: { token }, scheme: AdminListener.scheme),
                store: store,
                source: source,
                streams: DashboardStreams(source, token: { token }, clock: ContinuousClock()),
                actions: DashboardActions(store: store, jobs: jobs, logger: logger)
            )
        )
    }

    private static func get(_ path: String, _ port: Int) async throws -> RawResponse {
        try await withRawConnection(to: port) { try await $0.get(path) }
    }

    /// Each line is a comment, or a name, optional labels, and a number.
    private static func expectWellFormed(_ lines: [String]) throws {
        let sample = /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.e]+/
        for line in lines where !line.hasPrefix("# HELP ") && !line.hasPrefix("# TYPE ") {
            #expect(try sample.wholeMatch(in: line) != nil, "\(line)")
        }
    }
}
