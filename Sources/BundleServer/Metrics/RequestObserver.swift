import BundleNetwork

/// Records each request and its response. Thread-safe; returns immediately.
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
