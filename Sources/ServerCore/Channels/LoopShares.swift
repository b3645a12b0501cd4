import Foundation
import HTTPCore
import NIOCore
import Synchronization

/// State shared by the channels of one event loop.
///
/// `@unchecked Sendable`: it is used on that event loop only.
final class LoopShare: @unchecked Sendable {
    var core: RequestCore
    var date: DateClock
    /// Runs tasks on the event loop.
    let executor: EventLoopExecutor
    /// Counts the responses; nil when they aren't counted.
    let tallies: TallySheet?

    fileprivate init(
        _ core: consuming RequestCore,
        _ date: DateClock,
        _ executor: EventLoopExecutor,
        _ tallies: TallySheet?
    ) {
        self.core = core
        self.date = date
        self.executor = executor
        self.tallies = tallies
    }
}

/// One share for each event loop, created with the loop's first connection. Thread-safe.
final class LoopShares: Sendable {
    /// How often a core drops ready responses that aren't sent again.
    private static let sweepInterval = TimeAmount.seconds(1)

    private let responder: any RequestResponder
    private let capacity: Int
    private let ledger: TallyLedger?
    private let now: @Sendable () -> Date
    private let shares = Mutex<[ObjectIdentifier: LoopShare]>([:])

    /// - Parameters:
    ///   - capacity: The minimum number of ready responses that each event loop keeps.
    ///   - ledger: Where responses are counted; nil when they aren't.
    init(
        _ responder: any RequestResponder,
        capacity: Int,
        counting ledger: TallyLedger?,
        now: @escaping @Sendable () -> Date
    ) {
        self.responder = responder
        self.capacity = capacity
        self.ledger = ledger
        self.now = now
    }

    /// The share of an event loop; call it on that loop.
    func share(of loop: any EventLoop) -> LoopShare {
        loop.preconditionInEventLoop()
        return shares.withLock { shares in
            if let share = shares[ObjectIdentifier(loop)] { return share }
            let core = RequestCore(responder, capacity: capacity)
            let share = LoopShare(core, DateClock(now: now), EventLoopExecutor(loop), ledger?.makeSheet())
            shares[ObjectIdentifier(loop)] = share
            sweep(share, on: loop)
            return share
        }
    }

    /// A loop without requests must not keep deleted files from being freed.
    private func sweep(_ share: LoopShare, on loop: any EventLoop) {
        loop.scheduleRepeatedTask(initialDelay: Self.sweepInterval, delay: Self.sweepInterval) { [weak share] task in
            guard let share else { return task.cancel() }
            share.core.sweep()
        }
    }
}

/// Runs tasks on an event loop, so that what they await there needs no other thread (SE-0417). Thread-safe.
final class EventLoopExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the loop is to run them.
        var isScheduled = false
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustSchedule = state.withLock { state in
            state.jobs.append(job)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { loop.execute { self.run() } }
    }

    /// Runs what is waiting; what that adds comes behind what the loop has to do otherwise.
    private func run() {
        let executor = asUnownedTaskExecutor()
        var jobs: [UnownedJob] = []
        state.withLock { swap(&$0.jobs, &jobs) }
        for job in jobs { job.runSynchronously(on: executor) }
        let isLeft = state.withLock { state in
            state.isScheduled = !state.jobs.isEmpty
            return state.isScheduled
        }
        if isLeft { loop.execute { self.run() } }
    }
}

/// The value of `Date` (RFC 9110 §6.6.1), formatted once a second. For use on one event loop.
struct DateClock {
    let now: @Sendable () -> Date
    private var second: Int?
    /// An IMF-fixdate.
    private(set) var value = Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
        update()
    }

    /// Reads the clock. A year that HTTP can't express leaves the value unchanged.
    mutating func update() {
        guard let date = HTTPDate(now()), date.secondsSince1970 != second else { return }
        second = date.secondsSince1970
        value = Array(date.fieldValue.utf8)
    }
}

extension EventLoop {
    /// Runs `work` on the event loop: at once when this is its thread.
    func runNow(_ work: @escaping @Sendable () -> Void) {
        if inEventLoop { work() } else { execute(work) }
    }
}
