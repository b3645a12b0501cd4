/// A part of an archive's file in memory, which never changes: any number of threads may read it, and each reference
/// keeps it alive.
///
/// `@unchecked Sendable`: the memory is only written during initialisation.
final class FileBlock: @unchecked Sendable {
    /// The range of the bytes in the file.
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

    /// The file's bytes in `part`, valid as long as the block; nil when the block doesn't contain all of them.
    func bytes(_ part: Range<Int64>) -> UnsafeRawBufferPointer? {
        guard range.lowerBound <= part.lowerBound, part.upperBound <= range.upperBound else { return nil }
        return UnsafeRawBufferPointer(buffer).part(from: Int(part.lowerBound - range.lowerBound), count: part.count)
    }
}
