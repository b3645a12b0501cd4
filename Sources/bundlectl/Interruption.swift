import BundleStore
import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and termination: the first signal asks the work to stop and clean up; a second signal, or a delay of
/// one second, ends the program at once, with unfinished work left undone. The store needs no clean-up: interrupted
/// work leaves it unchanged.
///
/// Thread-safe.
final class Interruption: Sendable {
    private struct State {
        /// The first signal received.
        var signal: Int32?
        var stop: @Sendable () -> Void = {}
    }

    private static let patience = DispatchTimeInterval.seconds(1)
    private static let signals = [SIGINT, SIGTERM]

    private let state = Mutex(State())

    /// The signal that was received, if any.
    var signal: Int32? { state.withLock(\.signal) }

    /// Keeps signals pending until they are received. Call it while there is one thread: all others inherit that.
    init() {
        Self.withSignals { _ = pthread_sigmask(SIG_BLOCK, &$0, nil) }
    }

    /// Restores the default action, which ends the program; a pending signal does so at once.
    func giveUp() {
        Self.withSignals { _ = pthread_sigmask(SIG_UNBLOCK, &$0, nil) }
    }

    /// - Parameter stop: Asks the work to stop; called once, at the first signal, or at once when that was received.
    func onSignal(_ stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.stop = stop
            return state.signal != nil
        }
        if isLate { stop() }
    }

    /// Receives signals on this thread for as long as the program runs.
    ///
    /// By sigwait(3), because a dispatch source needs the signals to be ignored, and loses those that come in while it
    /// is being set up, and some later.
    func receiveSignals() -> Never {
        while true {
            var number: Int32 = 0
            Self.withSignals { _ = sigwait(&$0, &number) }
            guard Self.signals.contains(number) else { continue }
            receive(number)
        }
    }

    private func receive(_ number: Int32) {
        let stop = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.signal == nil else { return nil }
            state.signal = number
            return state.stop
        }
        guard let stop else { Self.end(number) }
        stop()
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { Self.end(number) }
    }

    private static func withSignals(_ body: (inout sigset_t) -> Void) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        body(&set)
    }

    private static func end(_ number: Int32) -> Never {
        UnfinishedOutput.removeAll()
        HiddenEntry.restore()
        _exit(128 + number)
    }
}
