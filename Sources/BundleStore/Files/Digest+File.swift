import SystemPackage

import struct Crypto.SHA256

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
