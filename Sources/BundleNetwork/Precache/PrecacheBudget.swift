import Synchronization

/// The bytes that may be received for a release, and the origins that don't respond. Thread-safe.
final class PrecacheBudget: Sendable {
    private struct State {
        var byteCount: Int64
        var silent: [String: String] = [:]
    }

    private let total: Int64
    private let state: Mutex<State>

    init(byteCount: Int64) {
        total = byteCount
        state = Mutex(State(byteCount: byteCount))
    }

    /// Counts bytes that were received.
    func take(_ count: Int) throws(PrecacheFailure) {
        let isLeft = state.withLock { state in
            state.byteCount -= Int64(count)
            return state.byteCount >= 0
        }
        guard isLeft else { throw .postponed("the \(total) bytes that are fetched ahead at a time are used up") }
    }

    /// Why an origin isn't asked again in this round; nil when it may be.
    func silence(of origin: String) -> String? { state.withLock { $0.silent[origin] } }

    /// An origin didn't respond.
    func noteSilence(of origin: String, _ reason: String) {
        state.withLock { $0.silent[origin] = reason }
    }
}
