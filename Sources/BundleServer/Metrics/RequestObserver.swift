import BundleNetwork

/// Takes note of each request that was answered. Thread-safe; comes back at once.
struct RequestObserver: Sendable {
    let metrics: EndpointMetrics
    let log: AccessLog?

    func record(_ record: AccessRecord) {
        metrics.record(
            record.source.layer,
            status: record.status,
            byteCount: record.byteCount,
            duration: record.duration
        )
        log?.append(record)
    }
}
