/// A page of metrics in Prometheus' text format 0.0.4. A value type.
package struct PrometheusText {
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text.
    package let text: String

    /// Writes a page.
    package init(_ page: MetricPage) {
        text = page.families.map(Self.text).joined()
    }

    private static func text(of family: MetricPage.Family) -> String {
        let (name, help) = (family.name, escaped(family.help, quotes: false))
        var text = "# HELP \(name) \(help)\n# TYPE \(name) \(family.kind.rawValue)\n"
        for sample in family.samples { text += line(name, sample.labels, self.text(of: sample.number)) }
        for histogram in family.histograms {
            for (bound, count) in zip(histogram.bounds.map(number) + ["+Inf"], histogram.cumulativeCounts) {
                text += line(name + "_bucket", histogram.labels + [("le", bound)], String(count))
            }
            text += line(name + "_sum", histogram.labels, number(histogram.sum))
            text += line(name + "_count", histogram.labels, String(histogram.cumulativeCounts.last ?? 0))
        }
        return text
    }

    private static func line(_ name: String, _ labels: [MetricPage.Label], _ value: String) -> String {
        let list = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        return name + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
    }

    private static func text(of number: MetricPage.Number) -> String {
        switch number {
        case .whole(let text): text
        case .fraction(let value): self.number(value)
        }
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
