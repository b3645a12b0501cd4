import BundleStore
import Dispatch
import Foundation
import HTTPCore
import Synchronization

/// Counts what a store's bundles are used for, and adds it to the store's statistics at an interval and at the end.
///
/// What is counted between two writes is lost when the process is killed. A store that can't be written loses statistics,
/// and nothing else: they are kept in bounded memory, and written when it can be. Thread-safe.
package final class UsageRecorder: Sendable {
    /// How often the statistics are written unless said otherwise: once a minute.
    package static let defaultInterval: Duration = .seconds(60)

    /// Where responses are counted.
    package let ledger: TallyLedger
    /// For those who have no event loop of their own.
    private let sheet: TallySheet
    private let store: BundleStore
    private let limits: StatisticsLimits
    private let now: @Sendable () -> Date
    private let pending = Mutex(PendingUsage())
    private let written = Mutex<[ResponseTally.Kind: ResponseTally.Totals]>([:])
    // A serial queue has a thread while there is something to do.
    private let queue = DispatchQueue(label: "offline-bundles.statistics")
    /// Nil when a service writes the statistics.
    private let interval: Duration?
    private let clock: any Clock<Duration>
    private let isScheduled = Mutex(false)

    /// - Parameters:
    ///   - store: Where the statistics are kept.
    ///   - ledger: Where responses are counted.
    ///   - interval: How long after something was counted it is written; nil when ``flush()`` is called by others.
    ///   - clock: The clock of the interval.
    ///   - now: The clock for the hour and the day that something is counted in: those in which it is written.
    package init(
        _ store: BundleStore,
        counting ledger: TallyLedger = TallyLedger(),
        every interval: Duration? = nil,
        within limits: StatisticsLimits = StatisticsLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.ledger = ledger
        self.limits = limits
        self.now = now
        sheet = ledger.makeSheet()
        (self.interval, self.clock) = (interval, clock)
    }

    deinit {
        write()
    }

    /// Writes what has been counted, if there is something and the store can be written.
    package func flush() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.write()
                continuation.resume()
            }
        }
    }

    /// What the store's bundles were used for, with what isn't written yet. As ``UsageReport/init(of:bundle:since:listCount:)``.
    package func report(since start: Date?, listCount: Int) async throws -> UsageReport {
        try await withCheckedThrowingContinuation { continuation in
            // In turn with the writing, so that everything counts once.
            queue.async {
                continuation.resume(
                    with: Result {
                        let unwritten = self.addition(of: self.pending.withLock { $0 }, self.ledger.totals)
                        return UsageReport(
                            try self.store.statistics(of: nil, since: start).adding(unwritten),
                            since: start,
                            listCount: listCount
                        )
                    }
                )
            }
        }
    }

    /// What is to be written.
    private func addition(
        of usage: PendingUsage,
        _ totals: [ResponseTally.Kind: ResponseTally.Totals]
    ) -> StatisticsAddition {
        var added = usage
        let before = written.withLock { $0 }
        for (kind, total) in totals { added.count(total &- (before[kind] ?? ResponseTally.Totals()), of: kind) }
        return added.addition
    }

    /// One at a time: on the queue, or when nobody else refers to this any more.
    private func write() {
        let totals = ledger.totals
        let usage = pending.withLock { usage in
            defer { usage = PendingUsage() }
            return usage
        }
        let addition = addition(of: usage, totals)
        guard !addition.isEmpty else { return }
        do {
            try store.addStatistics(addition, at: now(), within: limits)
            written.withLock { $0 = totals }
        } catch {
            pending.withLock { $0.add(usage.addition) }
        }
    }

    /// Counts a response that no event loop counts.
    package func record(_ source: ResponseSource, status: Int, byteCount: Int) {
        sheet.record(source, status: status, byteCount: byteCount)
        scheduleWriting()
    }

    /// Counts bytes that are read of a response after it was counted.
    package func record(laterByteCount byteCount: Int, of source: ResponseSource, status: Int) {
        sheet.record(laterByteCount: byteCount, of: source, status: status)
        scheduleWriting()
    }

    /// Changes what is to be written.
    package func note(_ change: @Sendable (inout PendingUsage) -> Void) {
        pending.withLock { change(&$0) }
        scheduleWriting()
    }

    private func scheduleWriting() {
        guard let interval else { return }
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        guard isFirst else { return }
        Task { [weak self, clock] in
            try? await clock.sleep(for: interval)
            self?.isScheduled.withLock { $0 = false }
            await self?.flush()
        }
    }
}
