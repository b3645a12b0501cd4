import SystemPackage

/// Bytes that are appended and read back at any offset: in memory while they are few, otherwise in a temporary file
/// that is unlinked as soon as it is created, so that a crash leaves nothing.
///
/// Not thread-safe.
final class SpillingBuffer {
    /// How many bytes are written to the file at a time.
    private static let pieceByteCount = 1 << 18

    private let path: FilePath
    /// The maximum number of bytes in memory.
    private var memoryByteCount: Int
    private var descriptor: FileDescriptor?
    private var spilledByteCount = 0
    private var tail: [UInt8] = []

    /// - Parameters:
    ///   - path: Where to create the file if it is needed.
    ///   - memoryByteCount: How many bytes stay in memory; over 0.
    init(spillingTo path: FilePath, over memoryByteCount: Int) {
        self.path = path
        self.memoryByteCount = memoryByteCount
    }

    deinit {
        try? descriptor?.close()
    }

    /// The number of bytes so far.
    var byteCount: Int { spilledByteCount + tail.count }

    /// - Throws: `Errno` when the file can't be created or written.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        if tail.count + bytes.count > memoryByteCount { try spill() }
        tail.append(contentsOf: bytes)
    }

    /// Fills `buffer` with the bytes from `offset` on, all of which must have been appended.
    ///
    /// - Throws: `Errno` when the file can't be read.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
        let fileCount = min(max(spilledByteCount - offset, 0), buffer.count)
        if fileCount > 0, let descriptor {
            let start = UnsafeMutableRawBufferPointer(rebasing: buffer[..<fileCount])
            guard try descriptor.readAll(at: offset, into: start) else { throw Errno.ioError }
        }
        guard fileCount < buffer.count else { return }
        let memoryStart = offset + fileCount - spilledByteCount
        UnsafeMutableRawBufferPointer(rebasing: buffer[fileCount...])
            .copyBytes(from: tail[memoryStart..<memoryStart + buffer.count - fileCount])
    }

    private func spill() throws {
        let descriptor = try descriptor ?? makeFile()
        self.descriptor = descriptor
        try tail.withUnsafeBytes { _ = try descriptor.writeAll(toAbsoluteOffset: Int64(spilledByteCount), $0) }
        spilledByteCount += tail.count
        // With the file in use, more memory has no benefit.
        memoryByteCount = min(memoryByteCount, Self.pieceByteCount)
        tail = []
        tail.reserveCapacity(memoryByteCount)
    }

    private func makeFile() throws -> FileDescriptor {
        let descriptor = try FileDescriptor.open(
            path,
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite
        )
        do {
            try Durable.remove(path)
        } catch {
            try? descriptor.close()
            throw error
        }
        return descriptor
    }
}
