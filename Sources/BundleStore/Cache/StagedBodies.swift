import Synchronization

/// Counts the bytes of bodies that this process is writing: they need room in the cache although they aren't in it yet.
/// Thread-safe.
final class StagedBodies: Sendable {
    /// The most bytes that are reserved at a time.
    static let maximumStep: Int64 = 4 << 20
    /// Bodies up to this length are counted without querying the catalog.
    static let smallByteCount: Int64 = 64 << 10

    private let byteCount = Mutex<Int64>(0)

    /// Counts more bytes. Returns false, and counts nothing, when the total would exceed `room`.
    func reserve(_ count: Int64, within room: Int64) -> Bool {
        byteCount.withLock { byteCount in
            guard count <= room - min(byteCount, room) else { return false }
            byteCount += count
            return true
        }
    }

    /// The total number of bytes.
    var total: Int64 { byteCount.withLock { $0 } }

    func release(_ count: Int64) {
        byteCount.withLock { $0 -= count }
    }
}
