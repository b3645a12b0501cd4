import BundleNetwork
import BundleStore
import Foundation
import ServerCore

/// The operators' listener and the dashboard.
extension EndpointAssembly {
    /// Nil without an address for operators.
    var dashboard: DashboardResponder? {
        guard !adminSockets.isEmpty else { return nil }
        let (store, configuration) = (endpoint.store, endpoint.configuration)
        let reader = DashboardReader(
            store: store,
            live: live,
            endpoint: sockets.first?.url(scheme: configuration.scheme) ?? "",
            jobs: jobs,
            gauge: gauge,
            network: network,
            health: health,
            usage: usage,
            mayUpdate: !configuration.isOffline && endpoint.updater != nil,
            startedAt: endpoint.now(),
            now: endpoint.now
        )
        let source = DashboardSource { StreamEvent(JSONDocument.line(of: await reader.read(), dates: .seconds)) }
        let token = { @Sendable [live, drawnToken] in live.configuration.adminToken ?? drawnToken }
        return DashboardResponder(
            gate: DashboardGate(token: token, scheme: AdminListener.scheme),
            store: store,
            source: source,
            streams: DashboardStreams(source, token: token, clock: endpoint.clock),
            actions: DashboardActions(store: store, jobs: jobs, logger: endpoint.logger)
        )
    }

    func adminListener(_ dashboard: DashboardResponder) -> AdminListener {
        let responder = AdminResponder(
            hosts: { [endpoint, live] in
                OwnHosts(
                    listening: endpoint.configuration.admin ?? endpoint.configuration.address,
                    allowed: live.configuration.allowedHosts
                )
            },
            health: health,
            metrics: metricSources,
            dashboard: dashboard
        )
        return AdminListener(sockets: adminSockets, responder: responder, logger: endpoint.logger)
    }

    /// Nil unless the metrics are pushed.
    var telemetryService: TelemetryService? {
        let configuration = endpoint.configuration
        guard let exporter = configuration.telemetry else { return nil }
        return TelemetryService(
            exporter: exporter,
            sources: metricSources,
            interval: configuration.telemetryInterval,
            firstDelay: configuration.telemetryInterval * Double.random(in: 0...1),
            clock: endpoint.clock,
            logger: endpoint.logger
        )
    }

    private var metricSources: MetricSources {
        MetricSources(
            requests: metrics,
            store: gauge,
            scrubs: scrubs,
            process: ProcessMetrics(startTime: startTime),
            network: network,
            log: log,
            identity: endpoint.configuration.identity
        )
    }

    private var network: NetworkGauge { NetworkGauge(layers: layers, link: link, precaching: precaching) }

    /// Where the dashboard opens, with its token unless the operator has chosen that; nil without an address for operators.
    var dashboardURL: String? {
        guard let url = adminSockets.first?.url() else { return nil }
        // An address of all interfaces is none that a browser should connect to.
        let reachable = url.replacing("//0.0.0.0:", with: "//127.0.0.1:").replacing("//[::]:", with: "//[::1]:")
        let fragment = live.configuration.adminToken == nil ? "#token=\(drawnToken.text)" : ""
        return reachable + (url.hasPrefix("unix:") ? "" : "/") + fragment
    }
}
