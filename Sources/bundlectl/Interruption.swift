import BundleStore
import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and termination: the first signal asks the work to stop and clean up; a second signal, or a delay of
/// one second, ends the program at once, with unfinished work left undone. The store needs no clean-up: interrupted
/// work leaves it unchanged.
final class Interruption {
    /// The first signal received; shared with the handlers.
    private final class Reception: Sendable {
        private struct State {
            var signal: Int32?
            var stop: @Sendable () -> Void = {}
        }

        private let state = Mutex(State())

        var signal: Int32? { state.withLock(\.signal) }

        /// Returns whether it is the first.
        func receive(_ number: Int32) -> Bool {
            let stop = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.signal == nil else { return nil }
                state.signal = number
                return state.stop
            }
            stop?()
            return stop != nil
        }

        /// Calls `stop` when a signal is received, and at once when one was.
        func onSignal(_ stop: @escaping @Sendable () -> Void) {
            let isLate = state.withLock { state in
                state.stop = stop
                return state.signal != nil
            }
            if isLate { stop() }
        }
    }

    private static let patience = DispatchTimeInterval.seconds(1)

    private let reception = Reception()
    private let sources: [any DispatchSourceSignal]

    /// The signal that was received, if any.
    var signal: Int32? { reception.signal }

    private static let signals = [SIGINT, SIGTERM]

    /// Keeps signals pending until there is an ``Interruption`` to receive them: one that comes in between would be
    /// lost. For the calling thread, and those that are started after.
    static func blockSignals() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Receives signals from now on.
    init() {
        sources = Self.signals.map { number in
            // Otherwise the signal would end the program where it isn't blocked.
            Foundation.signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for (number, source) in zip(Self.signals, sources) {
            source.setEventHandler { [reception] in
                guard reception.receive(number) else { Self.end(number) }
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { Self.end(number) }
            }
            source.activate()
        }
    }

    /// - Parameter stop: Asks the work to stop; called once, at the first signal, or at once when that was received.
    func onSignal(_ stop: @escaping @Sendable () -> Void) {
        reception.onSignal(stop)
    }

    private static func end(_ number: Int32) -> Never {
        UnfinishedOutput.removeAll()
        _exit(128 + number)
    }
}
