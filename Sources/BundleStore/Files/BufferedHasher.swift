import struct Crypto.SHA256

/// SHA-256 of many small pieces, which are hashed together: one call each would take longer than the hashing.
struct BufferedHasher {
    private static let capacity = 1 << 14

    private var hasher = SHA256()
    private var buffer: [UInt8] = []

    init() {
        buffer.reserveCapacity(Self.capacity)
    }

    /// Appends bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if buffer.count + bytes.count > Self.capacity { flush() }
        if bytes.count < Self.capacity {
            buffer.append(contentsOf: bytes)
        } else {
            hasher.update(bufferPointer: bytes)
        }
    }

    /// The digest of everything so far.
    mutating func digest() -> Digest {
        flush()
        return Digest(hasher.finalize())
    }

    private mutating func flush() {
        buffer.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        buffer.removeAll(keepingCapacity: true)
    }
}
