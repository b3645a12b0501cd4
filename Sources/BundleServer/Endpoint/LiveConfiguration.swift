import BundleServing
import BundleStore
import Synchronization

/// The configuration of an endpoint while it runs: ``BundleEndpoint/Configuration/takeChangeable(from:)`` says what of it may be
/// replaced. Thread-safe.
final class LiveConfiguration: Sendable {
    private struct State {
        var configuration: BundleEndpoint.Configuration
        var terms: ResponseTerms
    }

    private let state: Mutex<State>
    private let changeCount = Atomic<Int64>(0)
    private let makeTerms: @Sendable (BundleEndpoint.Configuration) -> ResponseTerms

    /// - Parameter makeTerms: What responses go by under a configuration.
    init(
        _ configuration: BundleEndpoint.Configuration,
        _ makeTerms: @escaping @Sendable (BundleEndpoint.Configuration) -> ResponseTerms
    ) {
        self.makeTerms = makeTerms
        state = Mutex(State(configuration: configuration, terms: makeTerms(configuration)))
    }

    /// The configuration that counts now.
    var configuration: BundleEndpoint.Configuration { state.withLock(\.configuration) }

    /// What responses go by. A request takes them once.
    var terms: ResponseTerms { state.withLock(\.terms) }

    /// Increases when earlier responses may not be sent again. Takes no lock.
    var generation: Int64 { changeCount.load(ordering: .acquiring) }

    /// Replaces what may be replaced; requests that begin later go by it.
    func change(to configuration: BundleEndpoint.Configuration) {
        let terms = makeTerms(configuration)
        state.withLock { $0 = State(configuration: configuration, terms: terms) }
    }

    /// Makes earlier responses invalid: the last step of a change, so that none stays valid that was made before all of it
    /// counted.
    func invalidateResponses() { changeCount.add(1, ordering: .releasing) }
}

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
