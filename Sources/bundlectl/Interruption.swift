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
        let signal = Mutex<Int32?>(nil)

        /// Returns whether it is the first.
        func receive(_ number: Int32) -> Bool {
            signal.withLock { signal in
                defer { signal = signal ?? number }
                return signal == nil
            }
        }
    }

    private static let patience = DispatchTimeInterval.seconds(1)

    private let reception = Reception()
    private let sources: [any DispatchSourceSignal]

    /// The signal that was received, if any.
    var signal: Int32? { reception.signal.withLock { $0 } }

    /// - Parameter stop: Asks the work to stop; called at most once.
    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            // Otherwise the signal would end the program before the source receives it.
            Foundation.signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for (number, source) in zip([SIGINT, SIGTERM], sources) {
            source.setEventHandler { [reception] in
                guard reception.receive(number) else { Self.end(number) }
                stop()
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { Self.end(number) }
            }
            source.activate()
        }
    }

    private static func end(_ number: Int32) -> Never {
        UnfinishedOutput.removeAll()
        _exit(128 + number)
    }
}
