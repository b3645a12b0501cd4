import Synchronization

/// Counts the bytes of bodies that this process is writing: they are in the cache's way, though not in it yet. Thread-safe.
final class StagedBodies: Sendable {
    /// How many bytes are asked for at a time, at most.
    static let maximumStep: Int64 = 4 << 20
    /// Bodies up to this length are counted, but nothing is looked up for them.
    static let smallByteCount: Int64 = 64 << 10

    private let byteCount = Mutex<Int64>(0)

    /// Returns the bytes of all, or nil, and counts nothing, when they would be more than `room`.
    func reserve(_ count: Int64, within room: Int64) -> Int64? {
        byteCount.withLock { byteCount in
            guard count <= room - min(byteCount, room) else { return nil }
            byteCount += count
            return byteCount
        }
    }

    /// The bytes of all.
    var total: Int64 { byteCount.withLock { $0 } }

    func release(_ count: Int64) {
        byteCount.withLock { $0 -= count }
    }
}
