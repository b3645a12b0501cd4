#if os(Linux)
    import Glibc

    /// Where a loop puts together what one connection is sent: the responses to all requests that came at once.
    final class OutputBuffer {
        /// When it holds so much, it is to be written first: what a client doesn't take is kept for it.
        private static let batchByteCount = 8 << 10
        /// Room for a batch and one more response, however long its head is.
        private static let capacity = 64 << 10

        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        private(set) var count = 0

        deinit {
            memory.deallocate()
        }

        /// What is in it.
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

        /// Whether it is to be written before the next answer is put in.
        var isFull: Bool { count >= Self.batchByteCount }

        /// Appends what `write` puts into so much room, which there must be.
        @inline(__always)
        func append(_ byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
            precondition(byteCount <= memory.count - count, "an answer is put together that is too long for it")
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
