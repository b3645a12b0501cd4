/// A part of an archive's file in memory, which moves along with reading, so that memory doesn't depend on the file's
/// size. The file is never mapped: if it became shorter, reading a mapping would end the process.
final class FileWindow {
    /// The number of bytes read at a time after a jump, if no more are needed: the next entry may be elsewhere again.
    private static let minimumStepByteCount = 8 << 10
    /// The number of bytes read at a time after reading forward for long.
    private static let maximumStepByteCount = 256 << 10

    private let file: ArchiveFile
    private let end: Int64
    private var stepByteCount = minimumStepByteCount
    private var loaded: FileBlock?

    /// - Parameter end: The end of the readable range, at most the file's size.
    init(of file: ArchiveFile, upTo end: Int64) {
        self.file = file
        self.end = end
    }

    /// At most `count` bytes from `offset` on; fewer only at the end. They are valid until the next call.
    func bytes(at offset: Int64, count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        guard offset >= 0, offset < end, count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let wanted = offset..<offset + min(Int64(count), end - offset)
        if let bytes = loaded?.bytes(wanted) { return bytes }
        let block = try load(wanted)
        return block.bytes(wanted.clamped(to: block.range)) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The block that contains all the bytes of `range`, if they are loaded.
    func block(holding range: Range<Int64>) -> FileBlock? {
        loaded?.bytes(range) == nil ? nil : loaded
    }

    /// Moves to `wanted` and reads ahead: twice as much each time that reading goes forward.
    private func load(_ wanted: Range<Int64>) throws(ArchiveError) -> FileBlock {
        let goesForward = loaded.map {
            $0.range.lowerBound < wanted.lowerBound && wanted.lowerBound <= $0.range.upperBound
        }
        stepByteCount =
            goesForward == true ? min(2 * stepByteCount, Self.maximumStepByteCount) : Self.minimumStepByteCount
        let count = Int(min(max(Int64(wanted.count), Int64(stepByteCount)), end - wanted.lowerBound))
        let block = try FileBlock(of: file, from: wanted.lowerBound, count: count)
        loaded = block
        return block
    }
}
