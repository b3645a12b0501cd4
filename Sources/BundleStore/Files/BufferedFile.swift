import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A new file that is written front to back in large pieces, and whose end can be taken back.
final class BufferedFile {
    private static let capacity = 1 << 18
    /// Copying takes longer than a call of the system for bytes that are so many.
    private static let longByteCount = 1 << 16
    private static let writeBackByteCount: UInt64 = 8 << 20

    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    /// Bytes of someone else's, which follow those in the buffer.
    private var lent = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isLending = false
    private var flushed: UInt64 = 0
    private var isOpen = true
    /// Where that begins which the disk hasn't been asked to write; nil when it is left to the end.
    private var writeBackStart: UInt64?

    /// - Parameter writesBackEarly: Whether the disk begins to write while more is appended, so that the sync at the end
    ///   finds little left to wait for.
    /// - Throws: `Errno`, `.fileExists` among others: a file is never overwritten.
    init(creating path: FilePath, writesBackEarly: Bool = false) throws {
        writeBackStart = writesBackEarly ? 0 : nil
        descriptor = try FileDescriptor.open(
            path,
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
        buffer.reserveCapacity(Self.capacity)
    }

    deinit {
        if isOpen { try? descriptor.close() }
    }

    /// The number of bytes so far, written or waiting.
    var position: UInt64 { flushed + UInt64(buffer.count + lent.count) }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard isLending else { return try copy(bytes) }
        if let base = lent.baseAddress, base + lent.count == bytes.baseAddress {
            lent = UnsafeRawBufferPointer(start: base, count: lent.count + bytes.count)
        } else {
            try takeLent()
            lent = bytes
        }
    }

    /// Runs `body`, within which the bytes that are appended stay as they are: those that lie together are written from
    /// where they are.
    func lending(_ body: () throws -> Void) throws {
        isLending = true
        defer { isLending = false }
        do { try body() } catch {
            try? takeLent()
            throw error
        }
        try takeLent()
    }

    func append(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try append($0) }
    }

    /// Appends zeros up to the next position that is a multiple of `byteCount`.
    func pad(toMultipleOf byteCount: Int) throws {
        try takeLent()
        let rest = Int(position % UInt64(byteCount))
        guard rest > 0 else { return }
        try [UInt8](repeating: 0, count: byteCount - rest).withUnsafeBytes { try copy($0) }
    }

    /// Drops what follows `position`, which is at most the current one.
    func rewind(to position: UInt64) throws {
        try takeLent()
        if position >= flushed {
            buffer.removeLast(buffer.count - Int(position - flushed))
            return
        }
        buffer.removeAll(keepingCapacity: true)
        try descriptor.resize(to: Int64(position))
        try descriptor.seek(offset: Int64(position), from: .start)
        flushed = position
        if let start = writeBackStart { writeBackStart = min(start, position) }
    }

    func overwriteStart(with bytes: [UInt8]) throws {
        try flush()
        try descriptor.writeAll(toAbsoluteOffset: 0, bytes)
    }

    /// Calls `body` with one piece of what was appended after the other, each of `byteCount` bytes but for the last.
    func readPieces(of range: Range<Int>, by byteCount: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try flush()
        try descriptor.readPieces(of: range, by: byteCount, body)
    }

    func close(syncing: Bool) throws {
        guard isOpen else { return }
        if syncing {
            try flush()
            try Durable.sync(descriptor)
        }
        isOpen = false
        buffer = []
        try descriptor.close()
    }

    /// Hands what waits to the system, so that a reader of the file sees it.
    func flush() throws {
        try takeLent()
        try flushBuffer()
    }

    private func flushBuffer() throws {
        guard !buffer.isEmpty else { return }
        try buffer.withUnsafeBytes { try write($0) }
        buffer.removeAll(keepingCapacity: true)
    }

    private func takeLent() throws {
        let bytes = lent
        lent = UnsafeRawBufferPointer(start: nil, count: 0)
        try copy(bytes)
    }

    /// Puts bytes into the buffer; those that are many go to the system at once.
    private func copy(_ bytes: UnsafeRawBufferPointer) throws {
        let isLong = bytes.count >= Self.longByteCount
        if isLong || buffer.count + bytes.count > Self.capacity { try flushBuffer() }
        if isLong { try write(bytes) } else { buffer.append(contentsOf: bytes) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        do {
            try descriptor.writeAll(bytes)
        } catch {
            // A part of them may have been written; rewinding must find the file as it was before.
            try? descriptor.resize(to: Int64(flushed))
            _ = try? descriptor.seek(offset: Int64(flushed), from: .start)
            throw error
        }
        flushed += UInt64(bytes.count)
        startWriteBack()
    }

    private func startWriteBack() {
        guard let start = writeBackStart, flushed >= start + Self.writeBackByteCount else { return }
        #if os(Linux)
            // On Linux this advice makes the kernel begin to write dirty pages; they leave its cache only once they are
            // clean, which these aren't yet. It is advice, so that its failure means nothing.
            _ = posix_fadvise(descriptor.rawValue, off_t(start), off_t(flushed - start), POSIX_FADV_DONTNEED)
        #endif
        writeBackStart = flushed
    }
}
