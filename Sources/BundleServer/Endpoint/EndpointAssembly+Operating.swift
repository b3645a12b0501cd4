import BundleServing
import BundleStore
import Foundation
import ServerCore

/// The operators' listener and the dashboard.
extension EndpointAssembly {
    /// Nil without an address for operators.
    var dashboard: DashboardResponder? {
        guard !adminSockets.isEmpty else { return nil }
        let (store, configuration) = (endpoint.store, endpoint.configuration)
        let jobs = DashboardJobs(endpoint.updater, isOffline: configuration.isOffline, logger: endpoint.logger)
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
        let source = DashboardSource { StreamEvent(await reader.read().document) }
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
            metrics: metrics,
            store: gauge,
            scrubs: scrubs,
            process: ProcessMetrics(startTime: endpoint.now()),
            network: network,
            log: log,
            dashboard: dashboard
        )
        return AdminListener(sockets: adminSockets, responder: responder, logger: endpoint.logger)
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
