#if os(Linux)
    import Glibc

    /// Where a loop assembles what it sends to one connection: the responses to all requests that arrived together.
    final class OutputBuffer {
        /// With this many bytes it is written first: what a client doesn't take has to be kept.
        private static let batchByteCount = 8 << 10
        /// Room for a batch and one more response with the longest head.
        private static let capacity = 64 << 10

        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        private(set) var count = 0

        deinit {
            memory.deallocate()
        }

        /// The bytes in the buffer.
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

        /// Whether it has to be written before the next response is appended.
        var isFull: Bool { count >= Self.batchByteCount }

        /// Appends `byteCount` bytes, which `write` writes; there must be room for them.
        @inline(__always)
        func append(_ byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
            precondition(byteCount <= memory.count - count, "the response is too long for the output buffer")
            guard let base = memory.baseAddress else { return }
            write(base + count)
            count += byteCount
        }

        /// Appends bytes, for which there must be room.
        @inline(__always)
        func append(_ bytes: UnsafeRawBufferPointer) {
            guard let source = bytes.baseAddress else { return }
            append(bytes.count) { $0.copyMemory(from: source, byteCount: bytes.count) }
        }

        @inline(__always)
        func append(_ text: StaticString) {
            append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        /// Removes everything after the first `count` bytes.
        func truncate(to count: Int) { self.count = min(self.count, count) }

        func removeAll() {
            count = 0
        }
    }
#endif
