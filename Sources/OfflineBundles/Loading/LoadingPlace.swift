import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where the client of a `URLProtocol` has to be called: on the thread that called `startLoading`, in the modes of its run loop
/// (Apple, “URLProtocolClient”). On Linux that thread belongs to the session's queue and has no run loop; the client's state is
/// that of the queue.
///
/// `@unchecked Sendable`: a run loop is only told, from any thread, what to perform.
enum LoadingPlace: @unchecked Sendable {
    case queue(DispatchQueue)
    case runLoop(RunLoop, modes: [RunLoop.Mode])

    /// That of the calling thread.
    ///
    /// - Parameter queue: The queue on which the session works, if it is known.
    static func current(_ queue: DispatchQueue?) -> LoadingPlace {
        if let queue { return .queue(queue) }
        let loop = RunLoop.current
        // A thread whose run loop doesn't run would never perform anything.
        guard let mode = loop.currentMode else { return .queue(DispatchQueue(label: "org.offline-bundles.loading")) }
        return .runLoop(loop, modes: mode == .default ? [.default, .common] : [.default, .common, mode])
    }

    /// Runs `body` there, later.
    func run(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: body)
        case .runLoop(let loop, let modes):
            loop.perform(inModes: modes, block: body)
            Self.wake(loop, modes)
        }
    }

    private static func wake(_ loop: RunLoop, _ modes: [RunLoop.Mode]) {
        #if canImport(FoundationNetworking)
            // A block alone doesn't wake the loop, and there is nothing else here that does.
            let timer = Timer(timeInterval: 0, repeats: false) { _ in }
            for mode in modes { loop.add(timer, forMode: mode) }
        #else
            CFRunLoopWakeUp(loop.getCFRunLoop())
        #endif
    }
}
