import BundleNetwork
import BundleServing
import BundleStore

/// What answers.
extension EndpointAssembly {
    /// - Parameter onReady: Called with the endpoint's URL when connections are accepted.
    func listener(onReady: @escaping @Sendable (_ url: String) -> Void) -> EndpointListener {
        let responder = responder
        let files = BundledFiles(
            resolver: resolver,
            layers: responder.layers,
            hosts: responder.hosts,
            fields: responder.fields,
            isSecure: responder.isSecure
        )
        return EndpointListener(
            sockets: sockets,
            acceptor: acceptor(for: files),
            channel: channel(for: files, responder),
            drainLimit: endpoint.configuration.drainLimit,
            logger: endpoint.logger,
            onReady: onReady
        )
    }

    private func acceptor(for files: BundledFiles) -> ConnectionAcceptor {
        ConnectionAcceptor(
            files: files,
            metrics: metrics,
            observer: observer,
            limits: endpoint.configuration.limits,
            logger: endpoint.logger,
            now: endpoint.now
        )
    }

    private func channel(for files: BundledFiles, _ responder: EndpointResponder) -> EndpointChannel {
        let limits = endpoint.configuration.limits
        return EndpointChannel(
            responder: responder,
            http2: HTTP2Responder(responder, head: limits.head),
            tls: tls,
            fast: FastResponders(files),
            limits: limits
        )
    }

    private var responder: EndpointResponder {
        let configuration = endpoint.configuration
        return EndpointResponder(
            layers: layers,
            hosts: hosts,
            fields: AddedFields(configuration.headerFields, sharedWith: configuration.allowedOrigins),
            health: health,
            observer: observer,
            isSecure: tls != nil,
            logger: endpoint.logger,
            now: endpoint.now
        )
    }

    private var layers: LayeredResponder {
        let configuration = endpoint.configuration
        return LayeredResponder(
            resolver,
            store: endpoint.store,
            transport: configuration.isOffline
                ? nil
                : MeteredTransport(
                    transport: DenialLoggingTransport(endpoint.transport, logger: endpoint.logger),
                    metrics: metrics
                ),
            // Whoever reaches the address is answered, so the cache must only hold what is for everyone.
            policy: BundleEndpoint.cachePolicy,
            variants: variants,
            tellsPageVersions: configuration.tellsPageVersions,
            now: endpoint.now
        )
    }

    private var hosts: HostPolicy {
        let configuration = endpoint.configuration
        return HostPolicy(
            resolver: resolver,
            scheme: tls == nil ? "http" : "https",
            listening: configuration.address,
            allowed: configuration.answeredHosts
        )
    }
}
