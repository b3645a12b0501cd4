import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import NIOCore
import NIOSSL
import Testing

@testable import BundleTransport

@Suite("Requests through a proxy", .timeLimit(.minutes(5)))
struct ProxiedRequestTests {
    private static let credential = "Basic bWU6c2VjcmV0"

    @Test("over https go through a tunnel of their own host, whose certificate is checked, and without the password")
    func tunnel() async throws {
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("origin", for: ["shop.example", "docs.example"], in: folder)
            try await withSecureOrigin(certificate) { origin in
                var behaviour = ForwardProxyServer.Behaviour()
                behaviour.hosts = ["shop.example:443": origin.port, "docs.example:8443": origin.port]
                behaviour.hosts["other.example:443"] = origin.port
                behaviour.authorization = Self.credential
                try await withForwardProxy(behaviour) { server in
                    let trust = try TrustedCertificates(adding: [certificate.certificate])
                    let proxies = try Self.proxies("http://me:secret@127.0.0.1:\(server.port)")
                    try await withTransport(tls: TLSClient(trust), proxies: proxies) { transport in
                        for url in ["shop.example", "shop.example", "docs.example:8443", "shop.example"] {
                            let response = try await transport.read(Self.call("https", url))
                            #expect(response.text == "\(url) -")
                        }
                        let error = await #expect(throws: BundleError.self) {
                            try await transport.read(Self.call("https", "other.example"))
                        }
                        #expect(error?.certificateFault == .otherName)
                    }
                    // A tunnel is used again for its own host alone.
                    let hosts = ["shop.example:443", "docs.example:8443", "other.example:443"]
                    #expect(server.requestLines == hosts.map { "CONNECT \($0) HTTP/1.1" })
                    #expect(server.requests.state.map { $0["host"] } == hosts)
                }
            }
        }
    }

    @Test("over http have the absolute form, and their own connections to the proxy")
    func forwarding() async throws {
        try await withEchoingOrigin { origin in
            var behaviour = ForwardProxyServer.Behaviour()
            behaviour.hosts = ["shop.example:80": origin.port, "docs.example:8080": origin.port]
            behaviour.authorization = Self.credential
            try await withForwardProxy(behaviour) { server in
                let proxies = try Self.proxies("http://me:secret@127.0.0.1:\(server.port)")
                try await withTransport(proxies: proxies) { transport in
                    for (authority, path) in [("shop.example", "/a?b=c"), ("docs.example:8080", "/")] {
                        var call = Self.call("http", authority, path)
                        call.request.headerFields[.proxyAuthorization] = "Basic forged"
                        let text = try await transport.read(call).text
                        #expect(text == "\(authority) -")
                    }
                }
                let lines = ["GET http://shop.example/a?b=c HTTP/1.1", "GET http://docs.example:8080/ HTTP/1.1"]
                #expect(server.requestLines == lines)
                #expect(server.requests.state.map { $0["proxy-authorization"] } == [Self.credential, Self.credential])
            }
        }
    }

    @Test("over http go through a tunnel where a proxy couldn't forward them: to another host, or to another protocol")
    func tunnelInClear() async throws {
        try await withEchoingOrigin { origin in
            var behaviour = ForwardProxyServer.Behaviour()
            behaviour.hosts = ["shop.example:80": origin.port, "other.example:81": origin.port]
            try await withForwardProxy(behaviour) { server in
                try await withTransport(proxies: try Self.proxies(server.url)) { transport in
                    var moved = Self.call("http", "shop.example")
                    moved.connectTo = ConnectTarget(host: "other.example", port: 81)
                    let text = try await transport.read(moved).text
                    #expect(text == "shop.example -")
                    var upgrade = Self.call("http", "shop.example")
                    upgrade.request.headerFields[.upgrade] = "websocket"
                    upgrade.request.headerFields[.connection] = "upgrade"
                    _ = try await transport.read(upgrade)
                    let lines = ["CONNECT other.example:81 HTTP/1.1", "CONNECT shop.example:80 HTTP/1.1"]
                    #expect(server.requestLines == lines)
                }
            }
        }
    }

    @Test(
        "that the proxy refuses fail with what to do, and without the password",
        arguments: [
            ("HTTP/1.1 407 Proxy Authentication Required\r\n", "doesn't accept the user", .giveProxyCredential),
            ("HTTP/1.1 403 Forbidden\r\n", "doesn't permit it, and responds with 403", .bypassProxy),
            ("HTTP/1.1 502 Bad Gateway\r\n", "doesn't reach it, and responds with 502", nil),
            ("HTTP/1.1 302 Found\r\nLocation: http://a.example/\r\n", "responds with 302", .correctProxy),
            ("SSH-2.0-OpenSSH\r\n", "isn't HTTP", .correctProxy),
        ] as [(String, String, Remedy?)]
    )
    func refusals(_ response: String, _ reason: String, _ remedy: Remedy?) async throws {
        var behaviour = ForwardProxyServer.Behaviour()
        behaviour.refusal = response
        try await withForwardProxy(behaviour) { server in
            let proxies = try Self.proxies("http://me:secret@127.0.0.1:\(server.port)")
            try await withTransport(proxies: proxies) { transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.read(Self.call("https", "shop.example"))
                }
                let beginning =
                    "could not reach shop.example:443 through the proxy 127.0.0.1:\(server.port): the proxy "
                #expect(error?.code == .networkUnavailable)
                #expect(
                    error?.problem.hasPrefix(beginning) == true || reason == "isn't HTTP",
                    "\(error?.problem ?? "")"
                )
                #expect(error?.problem.contains(reason) == true, "\(error?.problem ?? "")")
                #expect(error?.remedy == remedy)
                #expect(error?.message.contains("secret") == false)
                #expect(error?.isOffline == false)
            }
        }
    }

    @Test("that it forwards fail if it wants a password, and have the origin's response otherwise")
    func forwardedRefusals() async throws {
        for (status, isError) in [("407 Proxy Authentication Required", true), ("403 Forbidden", false)] {
            var behaviour = ForwardProxyServer.Behaviour()
            behaviour.refusal = "HTTP/1.1 \(status)\r\n"
            try await withForwardProxy(behaviour) { server in
                try await withTransport(proxies: try Self.proxies(server.url)) { transport in
                    guard isError else {
                        let response = try await transport.read(Self.call("http", "shop.example"))
                        #expect(response.head.status.code == 403)
                        return
                    }
                    let error = await #expect(throws: BundleError.self) {
                        try await transport.read(Self.call("http", "shop.example"))
                    }
                    #expect(error?.problem.contains("the proxy wants a user and a password") == true)
                    #expect(error?.remedy == .giveProxyCredential)
                }
            }
        }
    }

    @Test("fail as offline when the proxy can't be connected to")
    func unreachable() async throws {
        let port = try ReservedPort()
        defer { withExtendedLifetime(port) {} }
        for (proxy, reason) in [
            ("127.0.0.1:\(port.number)", "refuses connections"), ("proxy.example:1", "has no address"),
        ] {
            let network = OriginNetwork(.local, lookups: HostLookups { _ in [] })
            try await withTransport(network: network, proxies: try Self.proxies(proxy)) { transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.read(Self.call("https", "shop.example"))
                }
                #expect(error?.problem.contains(reason) == true, "\(error?.problem ?? "")")
                #expect(error?.remedy == .correctProxy)
                #expect(error?.isOffline == true)
            }
        }
    }

    @Test("end with the limit of connecting when the proxy is silent")
    func silence() async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            await peer.waitForEnd()
        } _: { proxy in
            var limits = TransportLimits()
            limits.connecting = .milliseconds(50)
            try await withTransport(limits, proxies: try Self.proxies("127.0.0.1:\(proxy.port)")) { transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.read(Self.call("https", "shop.example"))
                }
                #expect(error?.problem.contains("no connection within") == true)
            }
            try await proxy.waitForEnds()
        }
    }

    @Test("to addresses that hosts may not have aren't sent, though the proxy's own address is free")
    func addresses() async throws {
        try await withForwardProxy(.init()) { server in
            let network = OriginNetwork(OriginAddressPolicy(allowing: []))
            try await withTransport(network: network, proxies: try Self.proxies(server.url)) { transport in
                let hosts = [
                    "10.0.0.1", "169.254.169.254", "[fd00::1]", "192.168.1", "10.0.0.1.", "0xa.1", "localhost",
                    "0.0.0.0", "127.1",
                ]
                for host in hosts {
                    let error = await #expect(throws: BundleError.self) {
                        try await transport.read(Self.call("https", host))
                    }
                    #expect(error?.cause is OriginDenial, "\(host): \(error?.message ?? "")")
                }
                #expect(server.requestLines.isEmpty)
                // A name is the proxy's matter.
                let error = await #expect(throws: BundleError.self) {
                    try await transport.read(Self.call("https", "shop.example"))
                }
                #expect(error?.cause as? ProxyFailure == .status(502))
            }
        }
    }

    @Test("aren't sent to this process itself, though it be named as the proxy")
    func ownListener() async throws {
        try await withForwardProxy(.init()) { server in
            let network = OriginNetwork()
            try await withTransport(network: network, proxies: try Self.proxies(server.url)) { transport in
                let address = try #require(NetworkAddress("127.0.0.1"))
                network.serve(at: [.init(address, port: server.port)], isLocal: true)
                let error = await #expect(throws: BundleError.self) {
                    try await transport.read(Self.call("https", "shop.example"))
                }
                #expect(error?.cause as? OriginDenial == OriginDenial(.ownProxy(address, port: server.port)))
                #expect(server.requestLines.isEmpty)
            }
        }
    }

    private static func proxies(_ url: String) throws -> ForwardProxies {
        ForwardProxies(http: try ForwardProxy(url), https: try ForwardProxy(url))
    }

    private static func call(_ scheme: String, _ authority: String, _ path: String = "/") -> OriginCall {
        OriginCall(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))
    }

    /// An origin that responds with the host and the credentials for a proxy that it has got.
    private func withEchoingOrigin(
        prepare: @escaping @Sendable (any Channel) throws -> Void = { _ in },
        _ body: (TalkingOrigin) async throws -> Void
    ) async throws {
        try await withTalkingOrigin(
            { peer in
                while true {
                    let head = try await peer.head()
                    try await peer.respond("\(head["host"] ?? "") \(head["proxy-authorization"] ?? "-")")
                }
            },
            body,
            prepare: prepare
        )
    }

    private func withSecureOrigin(
        _ certificate: TestCertificate,
        _ body: (TalkingOrigin) async throws -> Void
    ) async throws {
        let context = try certificate.serverContext()
        try await withEchoingOrigin(
            prepare: { try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) },
            body
        )
    }
}
