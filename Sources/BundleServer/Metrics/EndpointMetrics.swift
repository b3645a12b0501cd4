import BundleNetwork
import BundleServing
import BundleUsage
import HTTPTypes
import ServerCore
import Synchronization

/// The metrics of an endpoint's connections and requests. Every call returns immediately, from any thread, and
/// allocates nothing.
final class EndpointMetrics: ServerMetrics {
    typealias Layer = ResponseSource.Layer

    /// Where the event loops count requests and bytes.
    private let ledger: TallyLedger
    private let durations = DurationHistogram(seriesCount: Layer.allCases.count)
    private let opened = Atomic<UInt64>(0)
    private let closed = Atomic<UInt64>(0)
    private let refused = Atomic<UInt64>(0)
    private let originBytes = Atomic<UInt64>(0)

    init(_ ledger: TallyLedger = TallyLedger()) {
        self.ledger = ledger
    }

    func record(_ layer: Layer, duration: Duration) {
        durations.record(nanoseconds: duration.nanoseconds, in: layer.index)
    }

    func connectionOpened() { opened.wrappingAdd(1, ordering: .relaxed) }

    func connectionClosed() { closed.wrappingAdd(1, ordering: .relaxed) }

    func connectionRefused() { refused.wrappingAdd(1, ordering: .relaxed) }

    func originBytesReceived(_ count: Int) { originBytes.wrappingAdd(UInt64(clamping: count), ordering: .relaxed) }

    /// Writes everything in the order of the layers.
    func write(to page: inout MetricPage) {
        writeRequests(to: &page)
        writeDurations(to: &page)
        writeConnections(to: &page)
        page.counter("bundlectl_origin_received_bytes_total", "Bytes of bodies received from origins for requests.")
        page.sample([], originBytes.load(ordering: .relaxed))
    }

    private func writeRequests(to page: inout MetricPage) {
        page.counter("bundlectl_http_requests_total", "Requests, by the layer that responded and the status.")
        let totals = ledger.totals
        var requests: [Layer: [Int: Int64]] = [:]
        var bytes: [Layer: Int64] = [:]
        for (kind, total) in totals {
            requests[kind.layer, default: [:]][kind.status, default: 0] &+= total.requestCount
            bytes[kind.layer, default: 0] &+= total.byteCount
        }
        for layer in Layer.allCases {
            for (status, count) in (requests[layer] ?? [:]).sorted(by: { $0.key < $1.key }) where count > 0 {
                page.sample([("layer", layer.rawValue), ("code", String(status))], count)
            }
        }
        page.counter("bundlectl_http_response_body_bytes_total", "Bytes of bodies sent to clients, by layer.")
        for layer in Layer.allCases { page.sample([("layer", layer.rawValue)], bytes[layer] ?? 0) }
    }

    private func writeDurations(to page: inout MetricPage) {
        page.histogram(
            "bundlectl_http_request_duration_seconds",
            "Time from a request's head to its response's last byte, by layer."
        )
        for layer in Layer.allCases {
            page.histogramSamples(
                [("layer", layer.rawValue)],
                bounds: DurationHistogram.bounds.map { Double($0) / 1e9 },
                cumulativeCounts: durations.cumulativeCounts(of: layer.index),
                sum: Double(durations.sumOfNanoseconds(of: layer.index)) / 1e9
            )
        }
    }

    private func writeConnections(to page: inout MetricPage) {
        let (closed, opened) = (closed.load(ordering: .relaxed), opened.load(ordering: .relaxed))
        page.gauge("bundlectl_http_connections", "Connections that are open.")
        page.sample([], opened >= closed ? opened - closed : 0)
        page.counter("bundlectl_http_connections_accepted_total", "Connections accepted.")
        page.sample([], opened)
        page.counter("bundlectl_http_connections_refused_total", "Connections refused because there were too many.")
        page.sample([], refused.load(ordering: .relaxed))
    }
}

extension ResponseSource.Layer {
    fileprivate var index: Int {
        switch self {
        case .active: 0
        case .retained: 1
        case .cache: 2
        case .network: 3
        case .stale: 4
        case .miss: 5
        case .server: 6
        }
    }
}

extension Duration {
    /// 0 when it is negative, and the largest value when it is longer than 584 years.
    fileprivate var nanoseconds: UInt64 {
        let (whole, overflows) = UInt64(clamping: components.seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, spills) = whole.addingReportingOverflow(UInt64(clamping: components.attoseconds / 1_000_000_000))
        return overflows || spills ? .max : sum
    }
}

/// The number of requests per duration, for each of several series. Thread-safe, without locks.
struct DurationHistogram: Sendable {
    /// The buckets' upper bounds in nanoseconds: 100 µs to 10 s.
    static let bounds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]
    /// One more for longer durations, and the sum.
    private static let width = bounds.count + 2

    private let counters: CounterTable

    init(seriesCount: Int) {
        counters = CounterTable(count: seriesCount * Self.width)
    }

    func record(nanoseconds: UInt64, in series: Int) {
        let bucket = Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count
        counters.add(1, to: series * Self.width + bucket)
        counters.add(nanoseconds, to: series * Self.width + Self.width - 1)
    }

    /// How many took at most as long as each bound; the last number is the total.
    func cumulativeCounts(of series: Int) -> [UInt64] {
        var total: UInt64 = 0
        return (0...Self.bounds.count).map { bucket in
            total &+= counters[series * Self.width + bucket]
            return total
        }
    }

    func sumOfNanoseconds(of series: Int) -> UInt64 { counters[series * Self.width + Self.width - 1] }
}

/// Counters to which any thread can add without waiting for another one. Thread-safe.
///
/// `@unchecked Sendable`: the memory stays in place for as long as the object lives, and all access is atomic.
final class CounterTable: @unchecked Sendable {
    private let counters: UnsafeMutableBufferPointer<Atomic<UInt64>>

    init(count: Int) {
        counters = .allocate(capacity: count)
        for index in counters.indices { (counters.baseAddress.unsafelyUnwrapped + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize().deallocate()
    }

    /// Adds to a counter; does nothing when there is none of this number.
    func add(_ amount: UInt64, to index: Int) {
        guard counters.indices.contains(index) else { return }
        counters[index].wrappingAdd(amount, ordering: .relaxed)
    }

    subscript(index: Int) -> UInt64 {
        counters.indices.contains(index) ? counters[index].load(ordering: .relaxed) : 0
    }
}

/// Counts the responses from origins.
struct MeteredTransport: OriginTransport {
    let transport: any OriginTransport
    let metrics: EndpointMetrics

    func send(_ call: OriginCall) async throws -> OriginResponse {
        let response = try await transport.send(call)
        guard response.tunnel == nil else { return response }
        let body = response.body.counting { [metrics] in metrics.originBytesReceived($0) }
        return OriginResponse(head: response.head, body: body)
    }
}
