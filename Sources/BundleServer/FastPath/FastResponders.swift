import NIOCore
import Synchronization

/// A fast responder for each event loop, made when its first connection comes. Thread-safe.
final class FastResponders: Sendable {
    /// A responder that only its own event loop uses.
    ///
    /// `@unchecked Sendable`: it is only given out on that event loop.
    final class OfLoop: @unchecked Sendable {
        var responder: FastResponder

        fileprivate init(_ responder: consuming FastResponder) {
            self.responder = responder
        }
    }

    /// How many responses each keeps ready at least: on a channel most of what is asked is something else.
    private static let capacity = 1 << 10

    /// How often a responder lets go of what an earlier state of the store answered.
    private static let sweepInterval = TimeAmount.seconds(1)

    private let files: BundledFiles
    private let responders = Mutex<[ObjectIdentifier: OfLoop]>([:])

    init(_ files: BundledFiles) {
        self.files = files
    }

    /// The responder of an event loop, on which this is called.
    func responder(of loop: any EventLoop) -> OfLoop {
        loop.preconditionInEventLoop()
        return responders.withLock { responders in
            if let responder = responders[ObjectIdentifier(loop)] { return responder }
            let responder = OfLoop(FastResponder(files, capacity: Self.capacity))
            responders[ObjectIdentifier(loop)] = responder
            sweep(responder, on: loop)
            return responder
        }
    }

    /// A loop on which nothing is asked must not keep files from being freed.
    private func sweep(_ responder: OfLoop, on loop: any EventLoop) {
        loop.scheduleRepeatedTask(initialDelay: Self.sweepInterval, delay: Self.sweepInterval) {
            [weak responder] task in
            guard let responder else { return task.cancel() }
            responder.responder.forgetOutdated()
        }
    }
}
