import BundleStore

/// Where the metrics of an endpoint come from. Thread-safe.
struct MetricSources: Sendable {
    let requests: EndpointMetrics
    let store: StoreGauge
    let scrubs: ScrubStatistics
    let process: ProcessMetrics
    let network: NetworkGauge
    let log: AccessLog?
    let identity: FleetIdentity

    /// All metrics as they are now.
    func page() async -> MetricPage {
        var page = MetricPage()
        requests.write(to: &page)
        if let log {
            page.counter("bundlectl_access_log_lost_lines_total", "Lines that the access log couldn't write.")
            page.sample([], log.lostLineCount)
        }
        await store.write(to: &page)
        network.write(to: &page)
        scrubs.write(to: &page)
        identity.write(to: &page)
        process.write(to: &page)
        return page
    }
}
