import BundleStore
import Synchronization

/// Another version of a bundle responds now, or none. A value type; safe to share between threads.
public struct Activation: Hashable, Sendable {
    /// The bundle.
    public let name: BundleName
    /// The version that responded before; nil when none did.
    public let previous: BundleVersion?
    /// The version that responds now; nil when none does.
    public let version: BundleVersion?
}

/// Which releases were active when a client last looked. A value type.
struct ActivationState {
    private struct Active: Equatable {
        let version: BundleVersion
        /// Differs when the same version was activated again, or replaced.
        let activation: Int64?
    }

    private var active: [BundleName: Active]
    private var revision: Int64

    init(_ snapshot: StoreSnapshot) {
        active = Self.active(in: snapshot)
        revision = snapshot.revision
    }

    /// Takes a later snapshot.
    ///
    /// - Returns: What has changed since the one before, by name.
    mutating func take(_ snapshot: StoreSnapshot) -> [Activation] {
        // Another thread may have been faster.
        guard snapshot.revision > revision else { return [] }
        revision = snapshot.revision
        let (before, now) = (active, Self.active(in: snapshot))
        active = now
        return Set(before.keys).union(now.keys).sorted().filter { before[$0] != now[$0] }.map { name in
            Activation(name: name, previous: before[name]?.version, version: now[name]?.version)
        }
    }

    private static func active(in snapshot: StoreSnapshot) -> [BundleName: Active] {
        snapshot.bundles.compactMapValues { bundle in
            bundle.activeVersion.map { Active(version: $0, activation: bundle.active?.activationNumber) }
        }
    }
}

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
