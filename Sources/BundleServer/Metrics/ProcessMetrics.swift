import BundleStore
import Foundation

/// The build, and the process metrics that every Prometheus client reports, under their usual names.
package struct ProcessMetrics: Sendable {
    /// The approximate time at which it was started.
    let startTime: Date

    func write(to page: inout MetricPage) {
        Self.writeBuild(to: &page)
        page.gauge("process_start_time_seconds", "When the process was started, in seconds since 1970.")
        page.sample([], startTime.timeIntervalSince1970)
        var time = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
            page.counter("process_cpu_seconds_total", "Processor time that the process has used.")
            page.sample([], Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
        }
        guard let byteCount = Self.residentByteCount else { return }
        page.gauge("process_resident_memory_bytes", "Memory that the process has in RAM.")
        page.sample([], byteCount)
    }

    /// Writes the build alone.
    package static func writeBuild(to page: inout MetricPage) {
        page.gauge("bundlectl_build_info", "1, with the version of the program as a label.")
        page.sample([("version", ProductVersion.string)], 1)
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
