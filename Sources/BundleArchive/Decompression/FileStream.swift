/// An archive's file, or a document in memory, read once from start to end.
final class FileStream {
    /// Fills the buffer from an offset on, and returns the number of bytes; 0 at the end.
    private typealias Reading = (Int64, UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int

    private let read: Reading
    private let buffer: UnsafeMutableRawBufferPointer
    /// The offset in the file of the bytes after the buffer.
    private var end: Int64 = 0
    /// The bytes that have been read but not used, valid until the next call.
    private(set) var unused = UnsafeRawBufferPointer(start: nil, count: 0)

    convenience init(_ file: ArchiveFile) {
        self.init { offset, buffer throws(ArchiveError) in try file.read(at: offset, into: buffer) }
    }

    convenience init(_ document: [UInt8]) {
        self.init { offset, buffer throws(ArchiveError) in
            let piece = document.dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    private init(_ read: @escaping Reading) {
        self.read = read
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
        let count = try read(end, buffer)
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
