import Foundation
import Synchronization

/// Counts the results of scrubs and repairs. Thread-safe.
final class ScrubStatistics: Sendable {
    private let runs = Atomic<UInt64>(0)
    private let readBytes = Atomic<UInt64>(0)
    private let damaged = Atomic<UInt64>(0)
    private let repaired = Atomic<UInt64>(0)
    private let lastRun = Mutex<Date?>(nil)

    /// Counts a completed scrub.
    func recordRun(readByteCount: Int64, damagedCount: Int, at date: Date) {
        runs.wrappingAdd(1, ordering: .relaxed)
        readBytes.wrappingAdd(UInt64(clamping: readByteCount), ordering: .relaxed)
        damaged.wrappingAdd(UInt64(clamping: damagedCount), ordering: .relaxed)
        lastRun.withLock { $0 = date }
    }

    /// Counts repaired items.
    func recordRepair(_ count: Int) { repaired.wrappingAdd(UInt64(clamping: count), ordering: .relaxed) }

    /// Writes everything; the time of the last scrub only when there was one.
    func write(to text: inout PrometheusText) {
        text.counter("bundlectl_scrub_runs_total", "Scrubs of the whole store that were completed.")
        text.sample([], runs.load(ordering: .relaxed))
        text.counter("bundlectl_scrub_read_bytes_total", "Bytes of segments that scrubs have read.")
        text.sample([], readBytes.load(ordering: .relaxed))
        text.counter("bundlectl_scrub_damaged_total", "Damaged files, releases and kept responses found by scrubs.")
        text.sample([], damaged.load(ordering: .relaxed))
        text.counter("bundlectl_repaired_total", "Items that the server has repaired, or dropped, by itself.")
        text.sample([], repaired.load(ordering: .relaxed))
        guard let date = lastRun.withLock({ $0 }) else { return }
        text.gauge("bundlectl_scrub_last_run_timestamp_seconds", "When a scrub was last completed.")
        text.sample([], date.timeIntervalSince1970.rounded())
    }
}
