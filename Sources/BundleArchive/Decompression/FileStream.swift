/// An archive's file, read once from its start to its end.
final class FileStream {
    private let file: ArchiveFile
    private let buffer: UnsafeMutableRawBufferPointer
    /// Where in the file the bytes behind the buffer's are.
    private var end: Int64 = 0
    /// What has been read and not been used, valid until the next call.
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

    /// Reads on once everything has been used.
    ///
    /// - Returns: False when the file has ended.
    func fill() throws(ArchiveError) -> Bool {
        guard unused.isEmpty else { return true }
        let count = try file.read(at: end, into: buffer)
        end += Int64(count)
        unused = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        return count > 0
    }

    /// Takes note that the first `count` of the unused bytes have been used.
    func use(_ count: Int) {
        unused = UnsafeRawBufferPointer(rebasing: unused.dropFirst(count))
    }

    /// Uses up the file.
    ///
    /// - Returns: Whether the rest of it were zeros.
    func endsInZeros() throws(ArchiveError) -> Bool {
        while try fill() {
            guard unused.allSatisfy({ $0 == 0 }) else { return false }
            use(unused.count)
        }
        return true
    }
}
