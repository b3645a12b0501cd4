import Foundation

/// Metrics as they are at one time, in families; samples follow the family that they belong to. It is scraped as Prometheus' text, and
/// pushed as that or as ``OTLPDocument``. A value type.
package struct MetricPage: Sendable {
    package typealias Label = (name: String, value: String)

    /// What the samples of a family are.
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A value in its shortest form.
    enum Number: Sendable {
        case whole(String)
        case fraction(Double)
    }

    /// A value of a counter or a gauge.
    struct Sample: Sendable {
        let labels: [Label]
        let number: Number
        /// When a counter was 0; nil for the start of the process.
        let since: Date?
    }

    /// A distribution.
    struct Histogram: Sendable {
        let labels: [Label]
        /// The upper bounds of the buckets.
        let bounds: [Double]
        /// One for each bound, and the total.
        let cumulativeCounts: [UInt64]
        let sum: Double
    }

    /// A metric with all its samples.
    struct Family: Sendable {
        let name: String
        let kind: Kind
        let help: String
        var samples: [Sample] = []
        var histograms: [Histogram] = []
    }

    private(set) var families: [Family] = []

    /// One without metrics.
    package init() {}

    mutating func counter(_ name: String, _ help: String) { begin(name, .counter, help) }

    mutating func gauge(_ name: String, _ help: String) { begin(name, .gauge, help) }

    mutating func histogram(_ name: String, _ help: String) { begin(name, .histogram, help) }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        families.append(Family(name: name, kind: kind, help: help))
    }

    /// - Parameter since: When a counter was 0, if that was before the process was started.
    mutating func sample(_ labels: [Label], _ value: some BinaryInteger, since: Date? = nil) {
        add(Sample(labels: labels, number: .whole(String(value)), since: since))
    }

    mutating func sample(_ labels: [Label], _ value: Double) {
        // Whole numbers without their `.0`, as in Prometheus's own clients.
        let number = Int64(exactly: value).map { Number.whole(String($0)) } ?? .fraction(value)
        add(Sample(labels: labels, number: number, since: nil))
    }

    private mutating func add(_ sample: Sample) {
        guard !families.isEmpty else { return }
        families[families.count - 1].samples.append(sample)
    }

    /// - Parameter cumulativeCounts: One for each bound, and the total.
    mutating func histogramSamples(_ labels: [Label], bounds: [Double], cumulativeCounts: [UInt64], sum: Double) {
        guard !families.isEmpty else { return }
        families[families.count - 1].histograms.append(
            Histogram(labels: labels, bounds: bounds, cumulativeCounts: cumulativeCounts, sum: sum)
        )
    }
}
