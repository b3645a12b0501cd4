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

    /// How many answers each keeps ready unless told otherwise: on a channel most of what is asked is something else.
    static let capacity = 1 << 10

    private let files: BundledFiles
    private let capacity: Int
    private let responders = Mutex<[ObjectIdentifier: OfLoop]>([:])

    /// - Parameter capacity: How many answers each keeps ready; a power of two, at least 4.
    init(_ files: BundledFiles, capacity: Int) {
        self.files = files
        self.capacity = capacity
    }

    /// The responder of an event loop, on which this is called.
    func responder(of loop: any EventLoop) -> OfLoop {
        loop.preconditionInEventLoop()
        return responders.withLock { responders in
            if let responder = responders[ObjectIdentifier(loop)] { return responder }
            let responder = OfLoop(FastResponder(files, capacity: capacity))
            responders[ObjectIdentifier(loop)] = responder
            return responder
        }
    }
}
