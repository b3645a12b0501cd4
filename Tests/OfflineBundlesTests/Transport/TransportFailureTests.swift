import BundleTesting
import BundleTransport
import Foundation
import HTTPTypes
import NIOCore
import NIOSSL
import OfflineBundles
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The networks that an app can have.
private let transports: [@Sendable () -> any OriginTransport] = [{ URLSessionTransport() }, { NIOTransport() }]

@Suite("A session over any transport", .timeLimit(.minutes(5)))
struct TransportFailureTests {
    @Test("is told that a server's certificate isn't trusted", arguments: transports)
    func untrusted(_ transport: @Sendable () -> any OriginTransport) async throws {
        try await withTemporaryDirectory { folder in
            let server = try TestCertificate.make("origin", in: folder).serverContext()
            try await withTalkingOrigin { peer in
                _ = try await peer.head()
            } _: { origin in
                try await withLoading([:], transport: transport(), { $0.coversAllOrigins = true }) { app in
                    let url = try #require(URL(string: "https://localhost:\(origin.port)/"))
                    let error = await #expect(throws: URLError.self) { try await app.session().text(url) }
                    #expect(error?.code == .serverCertificateUntrusted)
                }
            } prepare: { connection in
                try connection.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: server))
            }
        }
    }

    @Test("makes one request to a server whose certificate is refused, so that the app's delegate is asked once")
    func refusedOnce() async throws {
        let (network, retries) = (ScriptedTransport(), BundleClient.Configuration().retries)
        try await withLoading(transport: network, { $0.retries = retries }) { app in
            network.response(app.url("a").absoluteString) { _ in
                throw BundleError(.networkUnavailable, "refused", cause: URLError(.serverCertificateUntrusted))
            }
            let error = await #expect(throws: URLError.self) { try await app.session().text(app.url("a")) }
            #expect(error?.code == .serverCertificateUntrusted)
            #expect(network.requests.count == 1)
        }
    }

    @Test("is told that a server doesn't speak TLS", arguments: transports)
    func clearText(_ transport: @Sendable () -> any OriginTransport) async throws {
        try await withLoading([:], transport: transport(), { $0.coversAllOrigins = true }) { app in
            let url = try #require(URL(string: "https://127.0.0.1:\(app.url("").port ?? 0)/"))
            let error = await #expect(throws: URLError.self) { try await app.session().text(url) }
            #expect(error?.code == .secureConnectionFailed)
        }
    }

    @Test("has the same error for a host without an address, and for one that refuses", arguments: transports)
    func unreachable(_ transport: @Sendable () -> any OriginTransport) async throws {
        try await withLoading([:], transport: transport(), { $0.coversAllOrigins = true }) { app in
            for (text, code) in [
                ("http://nowhere.invalid/", URLError.Code.cannotFindHost),
                ("http://127.0.0.1:9/", .cannotConnectToHost),
            ] {
                let url = try #require(URL(string: text))
                let error = await #expect(throws: URLError.self) { try await app.session().text(url) }
                #expect(error?.code == code)
            }
        }
    }
}

@Suite("A transport on URLSession")
struct URLSessionTransportTests {
    @Test("has the configuration that the app gives it, but keeps nothing")
    func configuration() async throws {
        try await withOriginServer { origin in
            origin.route("/a", to: ScriptedResponse(fields: [.setCookie: "a=1", .cacheControl: "max-age=600"]))
            let storage = HTTPCookieStorage.shared
            let transport = URLSessionTransport(configure: { configuration in
                configuration.httpAdditionalHeaders = ["X-App": "1"]
                (configuration.httpCookieStorage, configuration.urlCache) = (storage, .shared)
            })
            for _ in 0..<2 {
                let response = try await transport.send(origin.request("/a"))
                for try await _ in response.body {}
            }
            let sent = origin.requests.map(\.headerFields)
            #expect(sent.map { $0[HTTPField.Name("X-App")!] } == ["1", "1"])
            #expect(sent.map { $0[.cookie] } == [nil, nil])
        }
    }
}
