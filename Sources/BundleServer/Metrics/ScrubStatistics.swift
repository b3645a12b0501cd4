import Foundation
import Synchronization

/// Counts what reading the store again, and repairing it, have come to. Thread-safe.
final class ScrubStatistics: Sendable {
    private let runs = Atomic<UInt64>(0)
    private let readBytes = Atomic<UInt64>(0)
    private let damaged = Atomic<UInt64>(0)
    private let repaired = Atomic<UInt64>(0)
    private let lastRun = Mutex<Date?>(nil)

    /// Counts a scrub that has come to its end.
    func recordRun(readByteCount: Int64, damagedCount: Int, at date: Date) {
        runs.wrappingAdd(1, ordering: .relaxed)
        readBytes.wrappingAdd(UInt64(clamping: readByteCount), ordering: .relaxed)
        damaged.wrappingAdd(UInt64(clamping: damagedCount), ordering: .relaxed)
        lastRun.withLock { $0 = date }
    }

    /// Counts what is right again.
    func recordRepair(_ count: Int) { repaired.wrappingAdd(UInt64(clamping: count), ordering: .relaxed) }

    /// Writes everything; the time of the last scrub only when there was one.
    func write(to text: inout PrometheusText) {
        text.counter("bundlectl_scrub_runs_total", "How many times the whole store was read again.")
        text.sample([], runs.load(ordering: .relaxed))
        text.counter("bundlectl_scrub_read_bytes_total", "Bytes of segments that were read again for that.")
        text.sample([], readBytes.load(ordering: .relaxed))
        text.counter("bundlectl_scrub_damaged_total", "Files, releases and kept responses found damaged by that.")
        text.sample([], damaged.load(ordering: .relaxed))
        text.counter("bundlectl_repaired_total", "What the server has put right by itself, or dropped.")
        text.sample([], repaired.load(ordering: .relaxed))
        guard let date = lastRun.withLock({ $0 }) else { return }
        text.gauge("bundlectl_scrub_last_run_timestamp_seconds", "When the store was last read again to its end.")
        text.sample([], date.timeIntervalSince1970.rounded())
    }
}
