import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation
import HTTPCore
import Logging
import ServiceLifecycle
import Synchronization

/// Repairs damage as it is found, and optionally reads the whole store again at an interval, to find damage before a
/// request does. It works on a thread of the lowest priority; a failure is logged and never ends the server.
struct RepairService: Service {
    /// How often it checks for work.
    static let interval: Duration = .seconds(1)
    /// How fast the store is read again: a tenth of a memory card's rate, a gigabyte in half a minute.
    static let pace = ReadingPace.gentle(bytesPerSecond: 32 << 20)

    private let store: BundleStore
    private let round: RepairRound
    private let variants: VariantMaker?
    private let scrubInterval: @Sendable () -> Duration?
    private let firstDelay: Duration?
    private let statistics: ScrubStatistics
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let logger: Logger

    /// - Parameters:
    ///   - round: The sources of the correct bytes.
    ///   - variants: Their files are checked too; nil when there are none.
    ///   - scrubInterval: The time from the end of one scrub to the start of the next, more than zero; nil for never. It may
    ///     change.
    ///   - firstDelay: The time until the first scrub, also after a change; by default up to a tenth of the interval, so that devices that
    ///     are switched on together don't ask origins at the same time.
    init(
        _ store: BundleStore,
        _ round: RepairRound,
        variants: VariantMaker?,
        scrubInterval: @escaping @Sendable () -> Duration?,
        statistics: ScrubStatistics,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger,
        firstDelay: Duration? = nil
    ) {
        self.store = store
        self.round = round
        self.variants = variants
        self.scrubInterval = scrubInterval
        self.firstDelay = firstDelay
        self.statistics = statistics
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            await withTaskExecutorPreference(QuietExecutor()) { await keep() }
        }
    }

    private func keep() async {
        let elapsed = clock.stopwatch()
        var schedule = RepairSchedule()
        var (scrubInterval, nextScrub) = (Duration?.none, Duration.zero)
        while !Task.isCancelled {
            // Damage that this finds is reported by the store's watcher.
            _ = try? store.checkIndexes()
            variants?.removeChanged()
            schedule.add(store.takeDamagedBundles())
            if scrubInterval != self.scrubInterval() {
                scrubInterval = self.scrubInterval()
                nextScrub = elapsed() + delay(before: scrubInterval)
            }
            if let scrubInterval, elapsed() >= nextScrub {
                schedule.add(scrub())
                nextScrub = elapsed() + scrubInterval
            }
            for name in schedule.due(at: elapsed()) where !Task.isCancelled {
                switch await repair(name) {
                case .repaired: schedule.succeeded(name)
                case .sound: schedule.foundSound(name, at: elapsed())
                case .busy: schedule.wasBusy(name, at: elapsed())
                case .damaged: schedule.failed(name, at: elapsed())
                }
            }
            // Throws only when the service is shut down or cancelled, which the loop's condition detects.
            try? await clock.sleep(for: Self.interval)
        }
    }

    private func delay(before interval: Duration?) -> Duration {
        firstDelay ?? (interval ?? .zero) * Double.random(in: 0..<0.1)
    }

    /// Reads everything again. Returns the damaged bundles.
    private func scrub() -> Set<BundleName?> {
        do {
            var readByteCount: Int64 = 0
            let damage = try store.verify(pace: Self.pace) { readByteCount = $0.done }
            statistics.recordRun(readByteCount: readByteCount, damagedCount: damage.count, at: now())
            for item in damage { logger.warning("damaged: \(item)") }
            logger.info("read the store again: \(ByteCount.text(readByteCount)), \(damage.count) damaged")
            return Set(damage.filter { !$0.isNewer }.map(\.bundle))
        } catch {
            if !Task.isCancelled { logger.warning("the scrub was not completed: \(error)") }
            return []
        }
    }

    /// The outcome of a repair.
    private enum Outcome {
        case repaired
        /// The bundle turned out to be intact.
        case sound
        case damaged
        /// Another process was working on the bundle.
        case busy
    }

    /// - Parameter name: Nil repairs every bundle.
    private func repair(_ name: BundleName?) async -> Outcome {
        // A bundle that was removed needs no repair.
        guard name.map(store.holds) ?? true else { return .repaired }
        let label = name?.string ?? "the store"
        do {
            let repair = try store.beginRepair(of: name, pace: Self.pace)
            _ = try await round.run(repair)
            let report = try repair.commit(waits: false)
            statistics.recordRepair(report.repaired.count)
            for item in report.repaired { logger.notice("\(item)") }
            let damage = report.damage.filter { !$0.isNewer }
            if !damage.isEmpty { for attempt in report.attempts { logger.warning("\(label): \(attempt)") } }
            for item in damage { logger.warning("couldn't be repaired: \(item.afterRepair)") }
            return !damage.isEmpty ? .damaged : report.repaired.isEmpty ? .sound : .repaired
        } catch let error as BundleError where error.code == .storeBusy {
            logger.info("\(label) will be repaired once no other process works on it")
            return .busy
        } catch {
            if !Task.isCancelled { logger.warning("\(label) couldn't be repaired: \(error)") }
            return .damaged
        }
    }
}

/// When to try to repair which bundle: immediately when its damage is new, and after increasing pauses when a repair
/// failed. A value type.
struct RepairSchedule {
    /// The pause after the first failure; it doubles with each further one.
    static let firstPause: Duration = .seconds(600)
    static let longestPause: Duration = .seconds(24 * 3_600)
    /// The pause when another process was working on the bundle.
    static let busyPause: Duration = .seconds(10)

    /// The bundles with damage; nil stands for damage whose bundle is unknown.
    private var wanted: Set<BundleName?> = []
    private var failures: [BundleName?: Backoff] = [:]

    private static var backoff: Backoff { Backoff(first: firstPause, longest: longestPause) }

    /// Adds bundles with damage.
    mutating func add(_ names: Set<BundleName?>) { wanted.formUnion(names) }

    /// The bundles to repair now, by name.
    func due(at now: Duration) -> [BundleName?] {
        wanted.filter { name in failures[name]?.isDue(at: now) ?? true }
            .sorted { ($0?.string ?? "") < ($1?.string ?? "") }
    }

    /// Records that a bundle has been repaired.
    mutating func succeeded(_ name: BundleName?) {
        wanted.remove(name)
        failures[name] = nil
    }

    /// Records that a bundle turned out to be intact when everything was read again, for example after a momentary disk
    /// failure. When the same damage is reported again, a repair is tried after a pause.
    mutating func foundSound(_ name: BundleName?, at now: Duration) {
        failed(name, at: now)
        wanted.remove(name)
    }

    /// Records that a bundle couldn't be repaired because another process was working on it.
    mutating func wasBusy(_ name: BundleName?, at now: Duration) {
        failures[name, default: Self.backoff].postpone(until: now + Self.busyPause)
    }

    /// Records that a bundle is still damaged.
    mutating func failed(_ name: BundleName?, at now: Duration) {
        failures[name, default: Self.backoff].failed(at: now)
    }
}

/// When to retry after failures: after a pause that doubles with each failure. A value type.
struct Backoff {
    private let longest: Duration
    private var following: Duration
    /// The pause after the last failure; zero before the first one.
    private(set) var pause: Duration = .zero
    private var next: Duration?

    /// - Parameters:
    ///   - first: The pause after the first failure, at most `longest`.
    ///   - longest: The longest pause.
    init(first: Duration, longest: Duration) {
        following = first
        self.longest = longest
    }

    /// Whether an attempt is due.
    ///
    /// - Parameter now: The time since any fixed moment.
    func isDue(at now: Duration) -> Bool { next.map { $0 <= now } ?? true }

    /// Postpones the next attempt for another reason than a failure: the pauses don't grow.
    ///
    /// - Parameter moment: As in ``isDue(at:)``.
    mutating func postpone(until moment: Duration) {
        next = moment
    }

    /// Records a failure.
    ///
    /// - Parameter now: As in ``isDue(at:)``.
    mutating func failed(at now: Duration) {
        pause = following
        next = now + pause
        following = min(pause * 2, longest)
    }
}

/// A thread of the lowest priority for tasks that are never urgent: everything else on the machine takes precedence.
/// The thread exists only while there are jobs.
///
/// For `withTaskExecutorPreference(_:operation:)`. Thread-safe.
final class QuietExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var hasThread = false
    }

    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { WorkThread.start(.background) { self.work() } }
    }

    private func work() {
        while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.hasThread = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
