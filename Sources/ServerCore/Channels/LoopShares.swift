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
