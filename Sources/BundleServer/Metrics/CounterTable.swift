import Synchronization

/// Counters to which any thread can add without waiting for another one. Thread-safe.
///
/// `@unchecked Sendable`: the memory stays in place for as long as the object lives, and all access is atomic.
final class CounterTable: @unchecked Sendable {
    private let counters: UnsafeMutableBufferPointer<Atomic<UInt64>>

    init(count: Int) {
        counters = .allocate(capacity: count)
        for index in counters.indices { (counters.baseAddress.unsafelyUnwrapped + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize().deallocate()
    }

    /// Adds to a counter; does nothing when there is none of this number.
    func add(_ amount: UInt64, to index: Int) {
        guard counters.indices.contains(index) else { return }
        counters[index].wrappingAdd(amount, ordering: .relaxed)
    }

    subscript(index: Int) -> UInt64 {
        counters.indices.contains(index) ? counters[index].load(ordering: .relaxed) : 0
    }
}
