import BundleTesting
import Foundation
import Testing

@testable import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The client of a session")
struct ClientRegistryTests {
    @Test("keeps cookies where the session's configuration has them kept", arguments: [true, false])
    func cookies(keepsCookies: Bool) async throws {
        try await withLoading { app in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpShouldSetCookies = keepsCookies
            BundleURLProtocol.install(app.client, in: configuration)
            let type = try #require(configuration.protocolClasses?.first as? BundleURLProtocol.Type)
            let responsible = try #require(ClientRegistry.shared.responsible(of: type, for: app.url("")))
            #expect(responsible.options.cookieStorage === (keepsCookies ? configuration.httpCookieStorage : nil))
            #expect(responsible.client === app.client)
        }
    }

    @Test("has a class of its own until it is closed, and another client gets that class after it")
    func classes() async throws {
        try await withLoading { app in
            let registry = ClientRegistry.shared
            let type = registry.addSession(app.client, LoadingOptions())
            #expect(registry.addSession(app.client, LoadingOptions()) != type)
            app.client.close()
            #expect(registry.responsible(of: type, for: app.url("")) == nil)
            try await withLoading { other in
                let types = (0..<2).map { _ in registry.addSession(other.client, LoadingOptions()) }
                #expect(types.contains { $0 == type })
            }
        }
    }
}
