import Synchronization

/// Counts bytes that arrive from the network. Thread-safe.
final class ByteCounter: Sendable {
    private let value = Atomic<Int64>(0)

    /// The number of bytes so far.
    var count: Int64 { value.load(ordering: .relaxed) }

    func add(_ count: Int) { value.wrappingAdd(Int64(count), ordering: .relaxed) }
}
