import BundleStore
import Foundation

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

/// The build, and the process metrics that every Prometheus client reports, under their usual names.
struct ProcessMetrics: Sendable {
    /// The approximate time at which it was started.
    let startTime: Date

    func write(to text: inout PrometheusText) {
        text.gauge("bundlectl_build_info", "1, with the version of the program as a label.")
        text.sample([("version", ProductVersion.string)], 1)
        text.gauge("process_start_time_seconds", "When the process was started, in seconds since 1970.")
        text.sample([], startTime.timeIntervalSince1970)
        var time = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
            text.counter("process_cpu_seconds_total", "Processor time that the process has used.")
            text.sample([], Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
        }
        guard let byteCount = Self.residentByteCount else { return }
        text.gauge("process_resident_memory_bytes", "Memory that the process has in RAM.")
        text.sample([], byteCount)
    }

    /// Nil where the system has no proc_pid_statm(5).
    private static var residentByteCount: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ")
        guard numbers.count > 1, let pages = Int(numbers[1]) else { return nil }
        let (byteCount, overflows) = pages.multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
        return overflows ? nil : byteCount
    }
}
