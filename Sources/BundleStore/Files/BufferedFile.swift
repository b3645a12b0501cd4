import SystemPackage

import struct Crypto.SHA256

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A new file that is written sequentially in large pieces, and whose end can be removed again.
package final class BufferedFile {
    private static let capacity = 1 << 18
    /// From this length on, copying takes longer than a system call.
    private static let longByteCount = 1 << 16
    private static let writeBackByteCount: UInt64 = 8 << 20

    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    /// Bytes in the caller's memory, which follow those in the buffer.
    private var lent = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isLending = false
    private var flushed: UInt64 = 0
    private var isOpen = true
    /// The start of the data that the disk hasn't been asked to write yet; nil when writing back is left to the end.
    private var writeBackStart: UInt64?

    /// - Parameters:
    ///   - writesBackEarly: Whether the disk begins to write while data is still appended, so that the final
    ///     sync has little left to wait for.
    ///   - inheritsMode: Whether what the folder permits limits what the file permits, in place of the umask.
    /// - Throws: `Errno`, for example `.fileExists`: a file is never overwritten.
    package init(creating path: FilePath, writesBackEarly: Bool = false, inheritsMode: Bool = true) throws {
        writeBackStart = writesBackEarly ? 0 : nil
        descriptor = try FileOwner.open(
            path,
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead],
            inheritsMode: inheritsMode
        )
        buffer.reserveCapacity(Self.capacity)
    }

    deinit {
        if isOpen { try? descriptor.close() }
    }

    /// The number of bytes so far, written or buffered.
    package var position: UInt64 { flushed + UInt64(buffer.count + lent.count) }

    package func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard isLending else { return try copy(bytes) }
        if let base = lent.baseAddress, base + lent.count == bytes.baseAddress {
            lent = UnsafeRawBufferPointer(start: base, count: lent.count + bytes.count)
        } else {
            try takeLent()
            lent = bytes
        }
    }

    /// Runs `body`. Appended bytes must stay unchanged until it returns: adjacent ones are written directly from their
    /// memory.
    package func lending(_ body: () throws -> Void) throws {
        isLending = true
        defer { isLending = false }
        do { try body() } catch {
            try? takeLent()
            throw error
        }
        try takeLent()
    }

    package func append(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try append($0) }
    }

    /// Appends zeros up to the next position that is a multiple of `byteCount`.
    package func pad(toMultipleOf byteCount: Int) throws {
        try takeLent()
        let rest = Int(position % UInt64(byteCount))
        guard rest > 0 else { return }
        try [UInt8](repeating: 0, count: byteCount - rest).withUnsafeBytes { try copy($0) }
    }

    /// Removes everything after `position`, which is at most the current one.
    package func rewind(to position: UInt64) throws {
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

    package func overwriteStart(with bytes: [UInt8]) throws {
        try flush()
        try descriptor.writeAll(toAbsoluteOffset: 0, bytes)
    }

    /// Calls `body` with the appended bytes in pieces, each of `byteCount` bytes except the last.
    package func readPieces(of range: Range<Int>, by byteCount: Int, _ body: (UnsafeRawBufferPointer) throws -> Void)
        throws
    {
        try flush()
        try descriptor.readPieces(of: range, by: byteCount, body)
    }

    package func close(syncing: Bool) throws {
        guard isOpen else { return }
        if syncing {
            try flush()
            try Durable.sync(descriptor)
        }
        isOpen = false
        buffer = []
        try descriptor.close()
    }

    /// Writes the buffered bytes to the file, so that a reader of the file sees them.
    package func flush() throws {
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

    /// Copies bytes to the buffer; long ones are written at once.
    private func copy(_ bytes: UnsafeRawBufferPointer) throws {
        let isLong = bytes.count >= Self.longByteCount
        if isLong || buffer.count + bytes.count > Self.capacity { try flushBuffer() }
        if isLong { try write(bytes) } else { buffer.append(contentsOf: bytes) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        do {
            try descriptor.writeAll(bytes)
        } catch {
            // A part of them may have been written; rewinding needs the file as it was before.
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
            // On Linux this advice makes the kernel begin to write dirty pages; only clean pages leave its cache, and
            // these aren't clean yet. It is advice, so a failure can be ignored.
            _ = posix_fadvise(descriptor.rawValue, off_t(start), off_t(flushed - start), POSIX_FADV_DONTNEED)
        #endif
        writeBackStart = flushed
    }
}

/// SHA-256 of many small pieces, which are hashed together: one call each would take longer than the hashing.
struct BufferedHasher {
    private static let capacity = 1 << 14

    private var hasher = SHA256()
    private var buffer: [UInt8] = []

    init() {
        buffer.reserveCapacity(Self.capacity)
    }

    /// Appends bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if buffer.count + bytes.count > Self.capacity { flush() }
        if bytes.count < Self.capacity {
            buffer.append(contentsOf: bytes)
        } else {
            hasher.update(bufferPointer: bytes)
        }
    }

    /// The digest of everything so far.
    mutating func digest() -> Digest {
        flush()
        return Digest(hasher.finalize())
    }

    private mutating func flush() {
        buffer.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        buffer.removeAll(keepingCapacity: true)
    }
}
