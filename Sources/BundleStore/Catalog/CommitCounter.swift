import Synchronization

/// The number of commits to the catalog, by whatever process, in memory that its users share. Valid for as long as the
/// connection that mapped it.
///
/// Thread-safe: it is only read, atomically.
struct CommitCounter: @unchecked Sendable {
    private let memory: UnsafePointer<Atomic<UInt32>>?

    /// - Parameter memory: Where it is; nil when it isn't known.
    init(_ memory: UnsafePointer<Atomic<UInt32>>?) {
        self.memory = memory
    }

    /// Only to be compared with another one; nil when it isn't known.
    var value: UInt32? { memory?.pointee.load(ordering: .acquiring) }
}
