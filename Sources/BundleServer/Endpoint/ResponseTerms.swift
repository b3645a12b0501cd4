import BundleServing
import BundleStore

/// What an endpoint's responses go by besides the store and the network: which hosts it serves, which fields it adds, and where
/// its bundles are. A value type; each request goes by one.
struct ResponseTerms: Sendable {
    let hosts: HostPolicy
    let fields: AddedFields
    let overview: OverviewResponder

    /// - Parameter isSecure: Whether requests come over TLS.
    init(
        _ configuration: BundleEndpoint.Configuration,
        _ store: BundleStore,
        _ resolver: LiveResolver,
        isSecure: Bool
    ) {
        let scheme = isSecure ? "https" : "http"
        hosts = HostPolicy(
            resolver: resolver,
            scheme: scheme,
            listening: configuration.address,
            allowed: configuration.servedHosts
        )
        fields = AddedFields(configuration.headerFields, sharedWith: configuration.allowedOrigins)
        overview = OverviewResponder(store: store, addresses: configuration.addresses, scheme: scheme)
    }
}
