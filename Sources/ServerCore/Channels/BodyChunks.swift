import BundleModel
import HTTPCore
import NIOCore


/// Copies a body into buffers of limited size, one at a time, so that a long one is never in memory as a whole.
struct BodyChunks: Sequence, IteratorProtocol {
    /// The size of a chunk in bytes; only the last is shorter.
    static let maximumByteCount = 256 << 10

    private let body: ResponseBody
    private var partIndex = 0
    private var offset = 0
    /// The number of bytes not copied yet.
    private(set) var remainingByteCount: Int

    /// Whether some of the copied bytes could not be read and are zeros.
    var hasFaulted: Bool { body.hasFaulted }

    init(_ body: ResponseBody) {
        self.body = body
        remainingByteCount = body.byteCount
    }

    mutating func next() -> ByteBuffer? {
        guard remainingByteCount > 0 else { return nil }
        let count = Swift.min(remainingByteCount, Self.maximumByteCount)
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        write(upTo: count, to: &buffer)
        return buffer
    }

    /// Copies the next `limit` bytes, or all that remain.
    mutating func write(upTo limit: Int, to buffer: inout ByteBuffer) {
        var limit = Swift.min(limit, remainingByteCount)
        while limit > 0 { limit -= writePart(upTo: limit, to: &buffer) }
    }

    /// Copies from one part, which is never empty.
    private mutating func writePart(upTo limit: Int, to buffer: inout ByteBuffer) -> Int {
        let part = body.parts[partIndex]
        let count = Swift.min(part.count - offset, limit)
        part[offset..<offset + count].withUnsafeBytes { _ = buffer.writeBytes($0) }
        remainingByteCount -= count
        offset += count
        if offset == part.count { (partIndex, offset) = (partIndex + 1, 0) }
        return count
    }
}
