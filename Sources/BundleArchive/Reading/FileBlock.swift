/// Some bytes of an archive's file in memory, which never change: any number of threads may read them, and who still
/// needs them keeps the block.
///
/// `@unchecked Sendable`: the memory is only written to before the block is there.
final class FileBlock: @unchecked Sendable {
    /// Which bytes of the file these are.
    let range: Range<Int64>
    private let buffer: UnsafeMutableRawBufferPointer

    /// Reads `count` bytes from `offset` on, or fewer when the file ends before.
    init(of file: ArchiveFile, from offset: Int64, count: Int) throws(ArchiveError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        do throws(ArchiveError) {
            range = offset..<offset + Int64(try file.read(at: offset, into: buffer))
        } catch {
            buffer.deallocate()
            throw error
        }
        self.buffer = buffer
    }

    deinit {
        buffer.deallocate()
    }

    /// The file's bytes in `part`, valid as long as the block; nil when not all of them are here.
    func bytes(_ part: Range<Int64>) -> UnsafeRawBufferPointer? {
        guard range.lowerBound <= part.lowerBound, part.upperBound <= range.upperBound else { return nil }
        return UnsafeRawBufferPointer(buffer).part(from: Int(part.lowerBound - range.lowerBound), count: part.count)
    }
}
