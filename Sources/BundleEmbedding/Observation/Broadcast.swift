import Synchronization

/// Sends values to any number of sequences. Thread-safe.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
        var lastNumber = 0
        var hasFinished = false
    }

    private let keptCount: Int
    private let state = Mutex(State())

    /// - Parameter count: How many values are kept for a sequence that isn't being read; the oldest go.
    init(keeping count: Int) {
        keptCount = count
    }

    /// A sequence of the values that are sent from now on.
    ///
    /// - Parameter onEnd: Called when nobody reads the sequence any more, or when it has ended.
    func subscribe(onEnd: @escaping @Sendable () -> Void = {}) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self,
            bufferingPolicy: .bufferingNewest(keptCount)
        )
        let number = state.withLock { state -> Int? in
            guard !state.hasFinished else { return nil }
            state.lastNumber += 1
            state.continuations[state.lastNumber] = continuation
            return state.lastNumber
        }
        guard let number else {
            continuation.finish()
            onEnd()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in state.continuations[number] = nil }
            onEnd()
        }
        return stream
    }

    func send(_ value: Value) {
        // Not under the lock, which the end of a sequence takes.
        for continuation in state.withLock({ $0.continuations.values.map(\.self) }) { continuation.yield(value) }
    }

    /// Ends the sequences.
    func finish() {
        let continuations = state.withLock { state in
            state.hasFinished = true
            defer { state.continuations = [:] }
            return state.continuations.values.map(\.self)
        }
        for continuation in continuations { continuation.finish() }
    }
}
