import OfflineBundles
import Synchronization

/// Whether the pages lack the network, as far as the responses show: what was asked of it last decides.
final class ConnectionState: Sendable {
    private struct State {
        var isOffline = false
        var observer: (@Sendable (Bool) -> Void)?
    }

    private let state = Mutex(State())

    /// Has changes reported, from any thread.
    func observe(_ observer: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Takes what a response says.
    func note(_ source: ResponseSource) {
        if let isOffline = Self.isOffline(source) { change(isOffline) }
    }

    /// Takes that the machine's link has gone or come back.
    func note(hasLink: Bool) {
        change(!hasLink)
    }

    private func change(_ isOffline: Bool) {
        let observer = state.withLock { state in
            guard state.isOffline != isOffline else { return nil as (@Sendable (Bool) -> Void)? }
            state.isOffline = isOffline
            return state.observer
        }
        observer?(isOffline)
    }

    /// Nil when the response says nothing about the network: bundled files and stored responses are sent in any case.
    static func isOffline(_ source: ResponseSource) -> Bool? {
        switch (source.layer, source.failure) {
        case (_, .offline), (_, .noResponse): true
        case (.stale, _): true
        case (.network, _): false
        default: nil
        }
    }
}
