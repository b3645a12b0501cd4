/// A part of an archive's file in memory, which moves along as it is read: what makes memory independent of the file's
/// size. The file is never mapped, since a file that becomes shorter would then end the process.
final class FileWindow {
    /// The number of bytes read at a time while reading goes forward.
    private static let stepByteCount = 64 << 10
    /// The number of bytes read after a jump, which may well be followed by another one.
    private static let jumpByteCount = 1 << 10

    private let file: ArchiveFile
    private let end: Int64
    private var buffer: UnsafeMutableRawBufferPointer
    /// Which bytes of the file are in the buffer.
    private var loaded: Range<Int64> = 0..<0

    /// - Parameter end: Where reading ends: the file's size at most.
    init(of file: ArchiveFile, upTo end: Int64) {
        self.file = file
        self.end = end
        buffer = .allocate(byteCount: Self.stepByteCount, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// The bytes from `offset` on, at most `count`; fewer only at the end. They are valid until the next call.
    func bytes(at offset: Int64, count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        guard offset >= 0, offset < end, count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let wanted = Int(min(Int64(count), end - offset))
        if offset < loaded.lowerBound || offset + Int64(wanted) > loaded.upperBound {
            try load(from: offset, count: wanted)
        }
        let available = min(wanted, Int(loaded.upperBound - offset))
        return UnsafeRawBufferPointer(buffer).part(from: Int(offset - loaded.lowerBound), count: available)
    }

    /// Moves to `offset` and reads at least `count` bytes, keeping those that are already there.
    private func load(from offset: Int64, count: Int) throws(ArchiveError) {
        let isStep = loaded.contains(offset) || offset == loaded.upperBound
        let kept = isStep ? Int(loaded.upperBound - offset) : 0
        let start = isStep ? Int(offset - loaded.lowerBound) : 0
        let wanted = Int(min(Int64(max(count, isStep ? Self.stepByteCount : Self.jumpByteCount)), end - offset))
        if wanted > buffer.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(buffer).part(from: start, count: kept))
            buffer.deallocate()
            buffer = larger
        } else if kept > 0, let base = buffer.baseAddress {
            base.copyMemory(from: base + start, byteCount: kept)
        }
        loaded = offset..<offset + Int64(kept)
        let free = UnsafeMutableRawBufferPointer(rebasing: buffer[kept..<wanted])
        let count = try file.read(at: offset + Int64(kept), into: free)
        loaded = offset..<offset + Int64(kept + count)
    }
}
