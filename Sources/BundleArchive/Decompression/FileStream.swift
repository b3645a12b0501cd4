/// An archive's file, read once from start to end.
final class FileStream {
    private let file: ArchiveFile
    private let buffer: UnsafeMutableRawBufferPointer
    /// The offset in the file of the bytes after the buffer.
    private var end: Int64 = 0
    /// The bytes that have been read but not used, valid until the next call.
    private(set) var unused = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ file: ArchiveFile) {
        self.file = file
        buffer = .allocate(byteCount: ArchiveReader.blockByteCount, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// The number of bytes that have been used.
    var usedByteCount: Int64 { end - Int64(unused.count) }

    /// Reads more after everything has been used.
    ///
    /// - Returns: False when the file has ended.
    func fill() throws(ArchiveError) -> Bool {
        guard unused.isEmpty else { return true }
        let count = try file.read(at: end, into: buffer)
        end += Int64(count)
        unused = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        return count > 0
    }

    /// Marks the first `count` of the unused bytes as used.
    func use(_ count: Int) {
        unused = UnsafeRawBufferPointer(rebasing: unused.dropFirst(count))
    }

    /// Reads the file to its end.
    ///
    /// - Returns: Whether all remaining bytes were zeros.
    func endsInZeros() throws(ArchiveError) -> Bool {
        while try fill() {
            guard unused.allSatisfy({ $0 == 0 }) else { return false }
            use(unused.count)
        }
        return true
    }
}
