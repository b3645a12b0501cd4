/// Decodes the files of zips, one at a time.
///
/// Not `Sendable`: use an instance from one thread at a time.
package final class ZipDecoder {
    /// The number of bytes decoded at a time, small enough to stay in the processor's cache for the checksum.
    private static let stepByteCount = 256 << 10

    private let inflater = Inflater()
    private let blockInflater = BlockInflater()
    private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var content: ZipContent?
    private var inputOffset: Int64 = 0
    private var remainingByteCount: Int64 = 0
    private var checksum = CRC32()

    /// Creates a decoder, which allocates its memory, about 100 KB, on first use.
    package init() {}

    deinit {
        input.deallocate()
    }

    /// The number of bytes of the current entry's data that have been read.
    var consumedByteCount: Int64 { content.map { inputOffset - $0.range.lowerBound } ?? 0 }

    /// Whether an entry has begun and hasn't ended.
    var isBusy: Bool { content != nil }

    /// Decodes all of `content` into `buffer`, which has exactly its size, and verifies it.
    func decode(_ content: ZipContent, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard content.method == .deflated, content.compressedByteCount <= BlockInflater.maximumInputByteCount else {
            try begin(content)
            _ = try read(into: buffer)
            return
        }
        guard !content.deadline.hasPassed() else { throw .outOfTime }
        // The content keeps the block with the bytes alive.
        defer { withExtendedLifetime(content) {} }
        let input = if let bytes = content.bytes { bytes } else { try readWhole(content) }
        switch try blockInflater.inflate(input, into: buffer) {
        case .complete: break
        case .wrongSize: throw .wrongSize
        case .excessInput: throw Self.excessInput
        case .damaged: throw .brokenDeflate
        }
        guard content.checksum != nil else { return }
        var checksum = CRC32()
        checksum.update(UnsafeRawBufferPointer(buffer))
        try Self.check(checksum, of: content)
    }

    /// Begins another entry.
    func begin(_ content: ZipContent) throws(ArchiveError) {
        self.content = content
        inputOffset = content.range.lowerBound
        remainingByteCount = content.byteCount
        checksum = CRC32()
        if content.method == .deflated { try inflater.reset() }
    }

    /// Fills `buffer`, completely unless the entry ends before; never with more than the entry's declared size. The entry
    /// has been verified when its last byte is returned.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard let content else { return 0 }
        var count = 0
        while count < buffer.count, remainingByteCount > 0 {
            guard !content.deadline.hasPassed() else { throw .outOfTime }
            let stepCount = min(buffer.count - count, Self.stepByteCount, Int(clamping: remainingByteCount))
            let step = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + stepCount])
            let produced =
                switch content.method {
                case .stored: try copy(content, into: step)
                case .deflated: try inflate(content, into: step)
                }
            if content.checksum != nil { checksum.update(UnsafeRawBufferPointer(rebasing: step[..<produced])) }
            remainingByteCount -= Int64(produced)
            count += produced
        }
        if remainingByteCount == 0 { try finish(content) }
        return count
    }

    /// All of the compressed data, valid until the next call.
    private func readWhole(_ content: ZipContent) throws(ArchiveError) -> UnsafeRawBufferPointer {
        let count = Int(content.compressedByteCount)
        if input.count < count {
            input.deallocate()
            input = .allocate(byteCount: count, alignment: 16)
        }
        let bytes = UnsafeMutableRawBufferPointer(rebasing: input[..<count])
        guard try content.read(at: content.range.lowerBound, into: bytes) == count else { throw Self.shrunken }
        return UnsafeRawBufferPointer(bytes)
    }

    private func copy(_ content: ZipContent, into step: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = try content.read(at: inputOffset, into: step)
        guard count == step.count else { throw Self.shrunken }
        inputOffset += Int64(count)
        return count
    }

    /// Fills `step`: the declared size isn't reached yet, so the data must not end.
    private func inflate(_ content: ZipContent, into step: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        var count = 0
        while count < step.count {
            guard !inflater.hasEnded else { throw .wrongSize }
            try refill(content)
            let rest = UnsafeMutableRawBufferPointer(rebasing: step[count...])
            count += try inflater.inflate(into: rest, isLast: Int64(rest.count) == remainingByteCount - Int64(count))
        }
        return count
    }

    private func refill(_ content: ZipContent) throws(ArchiveError) {
        let rest = content.range.upperBound - inputOffset
        guard inflater.isHungry, rest > 0 else { return }
        guard !content.deadline.hasPassed() else { throw .outOfTime }
        let count = try inflater.feed(atMost: Int(clamping: rest)) { buffer throws(ArchiveError) in
            try content.read(at: inputOffset, into: buffer)
        }
        guard count > 0 else { throw Self.shrunken }
        inputOffset += Int64(count)
    }

    /// Checks that the data ends here and is right, after all of its bytes have arrived.
    private func finish(_ content: ZipContent) throws(ArchiveError) {
        self.content = nil
        if content.method == .deflated {
            while !inflater.hasEnded {
                try refill(content)
                guard try inflater.finish() else { throw .wrongSize }
            }
            guard inflater.isHungry, inputOffset == content.range.upperBound else {
                throw Self.excessInput
            }
        }
        try Self.check(checksum, of: content)
    }

    private static func check(_ checksum: CRC32, of content: ZipContent) throws(ArchiveError) {
        guard content.checksum.map({ $0 == checksum.value }) ?? true else {
            throw .damagedZip("is damaged: its bytes don't have the CRC that the archive gives")
        }
    }

    private static var excessInput: ArchiveError {
        .damagedZip("has data after the end of its compressed data")
    }

    private static var shrunken: ArchiveError {
        ArchiveError(
            .truncated,
            "ends too early: the archive became shorter while it was read",
            advice: "try again while nothing changes the archive"
        )
    }
}

extension ArchiveError {
    static var brokenDeflate: ArchiveError {
        .damagedZip("is damaged: its compressed data is broken or ends too early")
    }

    package static var wrongSize: ArchiveError {
        ArchiveError(.damaged, "isn't of the size that the archive declares", advice: ArchiveError.fetchAgain)
    }
}
