import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import NIOCore
import NIOSSL
import Testing

@testable import BundleTransport

@Suite("Connecting")
struct ConnectingTests {
    @Test("goes on to the next address when one fails", arguments: ["127.0.0.9", "127.0.0.1"])
    func nextAddress(first: String) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.respond("hello")
        } _: { origin in
            // Nothing listens at the others.
            let addresses = try [first, "127.0.0.8", "127.0.0.1"].map { try #require(NetworkAddress($0)) }
            let asked = Monitor(0)
            let lookups = HostLookups { _ in
                asked.update { $0 += 1 }
                return addresses
            }
            try await withTransport(network: OriginNetwork(.local, lookups: lookups)) { transport in
                var call = origin.call()
                call.request.authority = "shop.example:\(origin.port)"
                for _ in 0..<3 {
                    let text = try await transport.read(call).text
                    #expect(text == "hello")
                }
                // Each response ended its connection, but the name was looked up once.
                #expect(asked.state == 1)
            }
        }
    }

    @Test("goes on to the next address when one is silent")
    func silentAddress() async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.respond("hello")
        } _: { origin in
            try await withDeafAddress(port: origin.port) { deaf in
                let addresses = try [deaf, "127.0.0.1"].map { try #require(NetworkAddress($0)) }
                var limits = TransportLimits()
                limits.nextAddress = .milliseconds(10)
                let network = OriginNetwork(.local, lookups: HostLookups { _ in addresses })
                try await withTransport(limits, network: network) { transport in
                    var call = origin.call()
                    call.request.authority = "shop.example:\(origin.port)"
                    let text = try await transport.read(call).text
                    #expect(text == "hello")
                }
            }
        }
    }

    @Test("ends with the limit, and with the task")
    func limit() async throws {
        try await withDeafAddress(port: 0) { deaf in
            var limits = TransportLimits()
            limits.connecting = .milliseconds(20)
            let request = HTTPRequest(method: .get, scheme: "http", authority: deaf, path: "/")
            try await withTransport(limits) { transport in
                let error = await #expect(throws: BundleError.self) { try await transport.send(request) }
                #expect(error?.message.contains("no connection within 0.02 seconds") == true)
            }
            try await withTransport { transport in
                let task = Task { try await transport.send(request) }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    @Test("takes place where connectTo says, with the host of the URL, and only if that is allowed")
    func connectTo() async throws {
        try await withTalkingOrigin { peer in
            let head = try await peer.head()
            try await peer.respond(head["host"] ?? "")
        } _: { origin in
            var call = origin.call()
            call.request.authority = "shop.example"
            call.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
            try await withTransport { transport in
                let text = try await transport.read(call).text
                #expect(text == "shop.example")
            }
            try await withTransport(network: OriginNetwork(OriginAddressPolicy(allowing: []))) { transport in
                let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                #expect(error?.cause is OriginDenial)
            }
        }
    }

    @Test("isn't left to connections of an earlier policy")
    func policyChange() async throws {
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.head()
                try await peer.respond("hello")
            }
        } _: { origin in
            let network = OriginNetwork()
            try await withTransport(network: network) { transport in
                _ = try await transport.read(origin.call())
                let address = try #require(NetworkAddress("127.0.0.1"))
                network.serve(at: [.init(address, port: origin.port)], isLocal: true)
                let error = await #expect(throws: BundleError.self) { try await transport.read(origin.call()) }
                #expect(error?.cause is OriginDenial)
                try await origin.waitForEnds()
            }
        }
    }

    @Test("with TLS checks the certificate for the URL's host, which is named in the handshake")
    func security() async throws {
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("origin", in: folder)
            let server = try certificate.serverContext()
            let trusting = try TrustedCertificates(adding: [certificate.certificate])
            try await withTalkingOrigin { peer in
                while true {
                    _ = try await peer.head()
                    try await peer.respond("hello")
                }
            } _: { origin in
                var call = origin.call()
                call.request.scheme = "https"
                call.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
                for (host, message) in [
                    ("localhost", nil), ("127.0.0.1:\(origin.port)", nil), ("shop.example", "is for another name"),
                ] {
                    call.request.authority = host
                    try await withTransport(tls: TLSClient(trusting)) { transport in
                        guard let message else {
                            for _ in 0..<3 {
                                let text = try await transport.read(call).text
                                #expect(text == "hello")
                            }
                            return
                        }
                        let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
                    }
                }
                #expect(origin.connections.state.count == 3)
                call.request.authority = "localhost"
                try await withTransport { transport in
                    let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                    #expect(error?.certificateFault == .unknownIssuer("origin"))
                    #expect(error?.problem.contains("“origin” has issued its certificate, and isn't trusted") == true)
                    #expect(error?.remedy == .trustIssuer)
                }
                try await origin.waitForEnds()
            } prepare: { connection in
                try connection.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: server))
            }
        }
    }

    @Test("with TLS to an address other than that of the URL is refused: the certificate couldn't be checked")
    func addressInURL() async throws {
        let request = HTTPRequest(method: .get, scheme: "https", authority: "192.0.2.1", path: "/")
        var call = OriginCall(request)
        call.connectTo = ConnectTarget(host: "127.0.0.1")
        try await withTransport { transport in
            let error = await #expect(throws: BundleError.self) { try await transport.send(call) }
            #expect(error?.code == .invalidArgument)
        }
    }
}
