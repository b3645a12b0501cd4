import BundleEmbedding
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which client loads for which sessions.
extension BundleURLProtocol {
    /// Makes the sessions that are made with a configuration load by a client, and no others.
    ///
    /// The client isn't retained. When it is released, the sessions load without it.
    ///
    /// - Parameters:
    ///   - client: Loads what it covers, see ``/BundleEmbedding/BundleClient/covers(_:)``; the rest is loaded as without it.
    ///   - configuration: Gets a class in front of its `protocolClasses`. Later copies of it have the class too.
    ///   - options: How the client is used.
    public static func install(
        _ client: BundleClient,
        in configuration: URLSessionConfiguration,
        options: LoadingOptions = LoadingOptions()
    ) {
        let type = ClientRegistry.shared.addSession(client, options)
        configuration.protocolClasses = [type] + (configuration.protocolClasses ?? [])
    }

    /// Makes `URLSession.shared`, and on Apple's systems what uses the URL loading system without a session, load by a client.
    ///
    /// On Linux this has to precede the first use of `URLSession.shared`, which takes the registered classes then. Of several
    /// clients that cover a URL, the one that was registered last loads it. The client isn't retained.
    public static func register(_ client: BundleClient, options: LoadingOptions = LoadingOptions()) {
        ClientRegistry.shared.addGlobal(client, options)
        #if canImport(FoundationNetworking)
            // The classes are consulted in the order of their registration, and Foundation registers its own with the first
            // session of the process.
            let others = URLSessionConfiguration.default.protocolClasses ?? []
        #else
            let others: [AnyClass] = []
        #endif
        for type in others { unregisterClass(type) }
        for type in [BundleURLProtocol.self] + others { _ = registerClass(type) }
    }

    /// Undoes ``register(_:options:)``. Loads that have begun go on.
    public static func unregister(_ client: BundleClient) {
        ClientRegistry.shared.removeGlobal(client)
    }
}
