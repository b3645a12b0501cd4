import BundleServing
import Foundation
import NIOCore
import Synchronization

/// What the channels of one event loop share.
///
/// `@unchecked Sendable`: it is only given out on that event loop.
final class LoopShare: @unchecked Sendable {
    var core: RequestCore
    var date: DateClock

    fileprivate init(_ core: consuming RequestCore, _ date: DateClock) {
        self.core = core
        self.date = date
    }
}

/// A share for each event loop, made when its first connection comes. Thread-safe.
final class LoopShares: Sendable {
    /// How often a core drops what an earlier state of the store responded.
    private static let sweepInterval = TimeAmount.seconds(1)

    private let responder: any RequestResponder
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let shares = Mutex<[ObjectIdentifier: LoopShare]>([:])

    /// - Parameter capacity: How many responses each event loop keeps ready at least.
    init(_ responder: any RequestResponder, capacity: Int, now: @escaping @Sendable () -> Date) {
        self.responder = responder
        self.capacity = capacity
        self.now = now
    }

    /// The share of an event loop, on which this is called.
    func share(of loop: any EventLoop) -> LoopShare {
        loop.preconditionInEventLoop()
        return shares.withLock { shares in
            if let share = shares[ObjectIdentifier(loop)] { return share }
            let share = LoopShare(RequestCore(responder, capacity: capacity), DateClock(now: now))
            shares[ObjectIdentifier(loop)] = share
            sweep(share, on: loop)
            return share
        }
    }

    /// A loop on which nothing is asked must not keep files from being freed.
    private func sweep(_ share: LoopShare, on loop: any EventLoop) {
        loop.scheduleRepeatedTask(initialDelay: Self.sweepInterval, delay: Self.sweepInterval) { [weak share] task in
            guard let share else { return task.cancel() }
            share.core.forgetOutdated()
        }
    }
}
