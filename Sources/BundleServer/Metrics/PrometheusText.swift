/// Metrics in Prometheus's text format 0.0.4. Samples follow the family that they belong to.
struct PrometheusText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    typealias Label = (name: String, value: String)

    private(set) var text = ""
    private var family = ""

    mutating func counter(_ name: String, _ help: String) { begin(name, "counter", help) }

    mutating func gauge(_ name: String, _ help: String) { begin(name, "gauge", help) }

    mutating func histogram(_ name: String, _ help: String) { begin(name, "histogram", help) }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        family = name
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ labels: [Label], _ value: some BinaryInteger) { sample("", labels, String(value)) }

    mutating func sample(_ labels: [Label], _ value: Double) { sample("", labels, Self.number(value)) }

    /// - Parameter cumulativeCounts: One for each bound, and the total.
    mutating func histogramSamples(_ labels: [Label], bounds: [Double], cumulativeCounts: [UInt64], sum: Double) {
        for (bound, count) in zip(bounds.map(Self.number) + ["+Inf"], cumulativeCounts) {
            sample("_bucket", labels + [("le", bound)], String(count))
        }
        sample("_sum", labels, Self.number(sum))
        sample("_count", labels, String(cumulativeCounts.last ?? 0))
    }

    private mutating func sample(_ suffix: String, _ labels: [Label], _ value: String) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        text += family + suffix + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// Whole numbers without their `.0`, as in Prometheus's own clients.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? "\(value)"
    }
}
