import SystemPackage

extension FileDescriptor {
    /// Fills `buffer` with the file's bytes from `offset` on, without moving the file position.
    ///
    /// - Returns: False when the file ends earlier.
    /// - Throws: `Errno`.
    func readAll(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(fromAbsoluteOffset: Int64(offset + done), into: rest)
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// The bytes of `range`.
    ///
    /// - Throws: `Errno`, `.ioError` when the file ends earlier.
    package func bytes(in range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            guard try readAll(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(buffer)) else {
                throw Errno.ioError
            }
            count = range.count
        }
    }

    /// Calls `body` with `range` in pieces, each of `byteCount` bytes except the last.
    ///
    /// - Throws: What `body` throws; `Errno`, `.ioError` when the file ends earlier.
    func readPieces(
        of range: Range<Int>,
        by byteCount: Int = 1 << 18,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(byteCount, range.count), alignment: 16)
        defer { buffer.deallocate() }
        for start in stride(from: range.lowerBound, to: range.upperBound, by: byteCount) {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(byteCount, range.upperBound - start)])
            guard try readAll(at: start, into: piece) else { throw Errno.ioError }
            try body(UnsafeRawBufferPointer(piece))
        }
    }
}
