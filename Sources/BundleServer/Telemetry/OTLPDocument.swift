import BundleStore
import Foundation

/// A page of metrics as OTLP in JSON: opentelemetry-proto's `ExportMetricsServiceRequest` in the JSON mapping of Protocol Buffers. That
/// writes integers of 64 bits as strings, and has readers take numbers too. Times are strings here, since numbers lose digits above 2^53; the
/// others are numbers, since rotel reads a value that is a string as none. A value type.
struct OTLPDocument: Encodable {
    private let resourceMetrics: [ResourceMetrics]

    /// - Parameters:
    ///   - start: When the counters were 0 that don't outlive the process.
    ///   - time: When the page was read.
    init(_ page: MetricPage, of identity: FleetIdentity, since start: Date, at time: Date) {
        let clock = Times(start: start, now: time)
        let installation: [(String, String)] = identity.installation.map { [("service.instance.id", $0)] } ?? []
        let service = [("service.name", identity.program), ("service.version", ProductVersion.string)]
        let attributes = service + installation + identity.labels.map { ($0.name, $0.value) }
        resourceMetrics = [
            ResourceMetrics(
                resource: Resource(attributes: attributes.map(Attribute.init)),
                scopeMetrics: [
                    ScopeMetrics(
                        scope: Scope(name: identity.program, version: ProductVersion.string),
                        metrics: page.families.map { Metric($0, clock) }
                    )
                ]
            )
        ]
    }
}

/// When a page was read, and since when its counters count.
private struct Times {
    let start: Date
    let now: Date

    /// In nanoseconds since 1970.
    static func text(_ date: Date) -> String {
        String(UInt64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()).map { $0 &* 1_000 } ?? 0)
    }
}

private struct ResourceMetrics: Encodable {
    let resource: Resource
    let scopeMetrics: [ScopeMetrics]
}

private struct Resource: Encodable {
    let attributes: [Attribute]
}

private struct Scope: Encodable {
    let name: String
    let version: String
}

private struct ScopeMetrics: Encodable {
    let scope: Scope
    let metrics: [Metric]
}

private struct Attribute: Encodable {
    struct Value: Encodable {
        let stringValue: String
    }

    let key: String
    let value: Value

    init(_ name: String, _ text: String) {
        (key, value) = (name, Value(stringValue: text))
    }
}

private struct Metric: Encodable {
    private let name: String
    private let description: String
    private let sum: Sum?
    private let gauge: Gauge?
    private let histogram: Histogram?

    init(_ family: MetricPage.Family, _ times: Times) {
        (name, description) = (family.name, family.help)
        sum =
            family.kind == .counter
            ? Sum(dataPoints: family.samples.map { Point($0, since: $0.since ?? times.start, times) }) : nil
        gauge = family.kind == .gauge ? Gauge(dataPoints: family.samples.map { Point($0, since: nil, times) }) : nil
        histogram =
            family.kind == .histogram ? Histogram(dataPoints: family.histograms.map { Distribution($0, times) }) : nil
    }
}

/// AGGREGATION_TEMPORALITY_CUMULATIVE.
private let cumulative = 2

private struct Sum: Encodable {
    let dataPoints: [Point]
    var aggregationTemporality = cumulative
    var isMonotonic = true
}

private struct Gauge: Encodable {
    let dataPoints: [Point]
}

private struct Histogram: Encodable {
    let dataPoints: [Distribution]
    var aggregationTemporality = cumulative
}

/// A `NumberDataPoint`.
private struct Point: Encodable {
    private let attributes: [Attribute]
    private let startTimeUnixNano: String?
    private let timeUnixNano: String
    private let asInt: Int64?
    private let asDouble: Double?

    init(_ sample: MetricPage.Sample, since start: Date?, _ times: Times) {
        attributes = sample.labels.map(Attribute.init)
        // A clock that was set back mustn't make the interval end before it begins.
        startTimeUnixNano = start.map { Times.text(min($0, times.now)) }
        timeUnixNano = Times.text(times.now)
        switch sample.number {
        case .whole(let text):
            asInt = Int64(text)
            asDouble = asInt == nil ? Double(text) : nil
        case .fraction(let value): (asInt, asDouble) = (nil, value.isFinite ? value : nil)
        }
    }
}

/// A `HistogramDataPoint`: its counts aren't cumulative.
private struct Distribution: Encodable {
    private let attributes: [Attribute]
    private let startTimeUnixNano: String
    private let timeUnixNano: String
    private let count: UInt64
    private let sum: Double
    private let bucketCounts: [UInt64]
    private let explicitBounds: [Double]

    init(_ histogram: MetricPage.Histogram, _ times: Times) {
        attributes = histogram.labels.map(Attribute.init)
        (startTimeUnixNano, timeUnixNano) = (Times.text(min(times.start, times.now)), Times.text(times.now))
        let counts = histogram.cumulativeCounts
        count = counts.last ?? 0
        sum = histogram.sum
        bucketCounts = zip(counts, [0] + counts).map { $0 >= $1 ? $0 - $1 : 0 }
        explicitBounds = histogram.bounds
    }
}
