import SystemPackage

import struct Crypto.SHA256

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

extension Digest {
    /// Hashes the bytes in `range` of a file, piece by piece.
    ///
    /// - Throws: `Errno`, `.ioError` when the file ends earlier; `CancellationError` when the task is cancelled and the
    ///   pace isn't the fastest.
    init(of file: FileDescriptor, in range: Range<Int>, pace: ReadingPace = .fast) throws {
        var hasher = SHA256()
        try file.readPieces(of: range) { piece in
            hasher.update(bufferPointer: piece)
            try pace.rest(after: piece.count)
        }
        self.init(hasher.finalize())
    }

    /// Hashes a whole file, piece by piece. It isn't mapped, because another process may truncate it meanwhile.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the file can't be read.
    package init(ofFile path: String) throws(BundleError) {
        do {
            let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            self = try descriptor.closeAfter { try Digest(reading: descriptor) }
        } catch {
            throw BundleError(.storeUnavailable, "\(Printable.line(path)) can't be read: \(error)", cause: error)
        }
    }

    private init(reading descriptor: FileDescriptor) throws {
        var hasher = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try descriptor.read(into: buffer), count > 0 {
            hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        self.init(hasher.finalize())
    }
}
