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
            configuration.httpCookieAcceptPolicy = .never
            BundleURLProtocol.install(app.client, in: configuration)
            let type = try #require(configuration.protocolClasses?.first as? BundleURLProtocol.Type)
            let responsible = try #require(ClientRegistry.shared.responsible(of: type, for: app.url("")))
            #expect(responsible.options.cookies.storage === (keepsCookies ? configuration.httpCookieStorage : nil))
            #expect(responsible.options.cookies.accepts == .never)
            #expect(responsible.options.credentials === configuration.urlCredentialStorage)
            #expect(responsible.client === app.client)
        }
    }

    @Test("has a class of its own, which no other client gets soon, and not more of them than are in use")
    func classes() async throws {
        try await withLoading { app in
            let registry = ClientRegistry.shared
            let type = registry.addSession(app.client, LoadingOptions())
            #expect(registry.addSession(app.client, LoadingOptions()) != type)
            app.client.close()
            #expect(registry.responsible(of: type, for: app.url("")) == nil)
            var types: Set<ObjectIdentifier> = []
            for _ in 0..<ClientRegistry.unusedSlotCount * 2 {
                try await withLoading([:]) { other in
                    types.insert(ObjectIdentifier(registry.addSession(other.client, LoadingOptions())))
                }
            }
            #expect(types.count <= ClientRegistry.unusedSlotCount)
        }
    }
}
