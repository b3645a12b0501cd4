import BundleNetwork
import BundleServing
import BundleStore
import BundleUsage
import ServerCore

/// The listener and its responder.
extension EndpointAssembly {
    /// How many ready responses each event loop of channels keeps: over TLS it gets all requests.
    private static let readyResponseCount = 1 << 12

    /// - Parameters:
    ///   - watchdog: Nil when no service manager watches the process.
    ///   - onReady: Called with the endpoint's URL when connections are accepted.
    func listener(
        watchdog: Watchdog? = nil,
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) -> EndpointListener {
        EndpointListener(
            sockets: sockets,
            acceptor: ConnectionAcceptor(metrics: metrics, logger: endpoint.logger, now: endpoint.now),
            channel: ConnectionChannel(settings: channelSettings),
            scheme: endpoint.configuration.scheme,
            drainLimit: endpoint.configuration.drainLimit,
            watchdog: watchdog,
            logger: endpoint.logger,
            onReady: onReady
        )
    }

    private var channelSettings: ChannelSettings {
        ChannelSettings(
            responder,
            recorder: recorder,
            limits: endpoint.configuration.limits,
            tls: tls,
            readyResponseCount: Self.readyResponseCount,
            logger: endpoint.logger,
            now: endpoint.now
        )
    }

    private var responder: EndpointResponder {
        EndpointResponder(
            layers: layers,
            live: live,
            health: health,
            pages: PageResponder(store: endpoint.store, resolver: resolver, streams: streams, calls: calls),
            loads: loads,
            missing: MissingParts(endpoint.store, resolver),
            codesForLocalClients: endpoint.configuration.codesForLocalClients,
            isSecure: tls != nil,
            refresh: PromptRefresh(endpoint.store, resolver)
        )
    }

    static func layers(
        _ endpoint: BundleEndpoint,
        _ resolver: LiveResolver,
        _ variants: VariantMaker?,
        _ ruling: NetworkRuling,
        _ metrics: EndpointMetrics,
        _ usage: UsageRecorder?
    ) -> LayeredResponder {
        let configuration = endpoint.configuration
        var limits = FetchLimits()
        limits.retries = configuration.originRetries
        return LayeredResponder(
            resolver,
            store: endpoint.store,
            transport: configuration.isOffline
                ? nil
                : MeteredTransport(
                    transport: DenialLoggingTransport(endpoint.transport, logger: endpoint.logger),
                    metrics: metrics
                ),
            policy: configuration.cachePolicy,
            cacheMemoryByteCount: configuration.cacheMemoryByteCount,
            variants: variants,
            setsVersionCookies: configuration.setsVersionCookies,
            rules: ruling,
            limits: limits,
            usage: usage,
            scheme: configuration.scheme,
            now: endpoint.now
        )
    }
}
