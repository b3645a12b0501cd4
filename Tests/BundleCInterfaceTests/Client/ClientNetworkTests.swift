#if !canImport(Darwin)
    import BundleServing
    import BundleTesting
    import CBundle
    import HTTPTypes
    import Testing

    @testable import BundleCInterface

    @Suite("The network of a client in C", .timeLimit(.minutes(1)))
    struct ClientNetworkTests {
        @Test(
            "an origin is trusted whose authority is named, in place of the system's or besides",
            arguments: [true, false]
        )
        func authorities(_ isAdded: Bool) async throws {
            try await withTemporaryDirectory { folder in
                let certificate = try TestCertificate.make("own", in: folder)
                try await withOriginServer(certificate: certificate) { origin in
                    origin.route("/hello", to: ScriptedResponse("hello"))
                    let transport = try certificate.certificate.withCString { path in
                        var network = ob_network()
                        network.size = MemoryLayout<ob_network>.size
                        if isAdded { network.added_ca_file = path } else { network.ca_file = path }
                        return try #require(try ClientNetwork.transport(network))
                    }
                    var request = origin.request("/hello")
                    request.scheme = "https"
                    #expect(try await transport.send(request).head.status == .ok)
                    let other = try #require(try ClientNetwork.transport(nil))
                    await #expect(throws: (any Error).self) { try await other.send(request) }
                }
            }
        }
    }
#endif
