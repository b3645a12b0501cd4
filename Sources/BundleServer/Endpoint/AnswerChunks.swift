import BundleServing
import BundleStore
import NIOCore

/// Copies a body into buffers of limited size, one at a time, so that a long one is never in memory as a whole.
struct AnswerChunks: Sequence, IteratorProtocol {
    /// The size of a chunk in bytes; only the last is shorter.
    static let maximumByteCount = 256 << 10

    private let body: AnswerBody
    private var partIndex = 0
    private var offset = 0
    private var remaining: Int

    init(_ body: AnswerBody) {
        self.body = body
        remaining = body.byteCount
    }

    mutating func next() -> ByteBuffer? {
        guard remaining > 0 else { return nil }
        var buffer = ByteBufferAllocator().buffer(capacity: Swift.min(remaining, Self.maximumByteCount))
        while remaining > 0, buffer.readableBytes < Self.maximumByteCount { fill(&buffer) }
        return buffer
    }

    private mutating func fill(_ buffer: inout ByteBuffer) {
        let part = body.parts[partIndex]
        let count = Swift.min(part.count - offset, Self.maximumByteCount - buffer.readableBytes)
        part[offset..<offset + count].withUnsafeBytes { _ = buffer.writeBytes($0) }
        remaining -= count
        offset += count
        if offset == part.count { (partIndex, offset) = (partIndex + 1, 0) }
    }
}
