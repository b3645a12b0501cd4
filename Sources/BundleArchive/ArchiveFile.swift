import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An archive's file, opened once: checking and reading use the same file, even if the path is replaced.
package final class ArchiveFile: Sendable {
    let path: String
    let descriptor: Int32
    let byteCount: Int64

    init(path: String) throws(ArchiveError) {
        self.path = path
        // O_NONBLOCK: opening a FIFO must not wait for its writer. No effect on regular files.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable("can't be opened", errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ArchiveError(.unreadable, "isn't a regular file", advice: "give the path of an archive")
        }
        byteCount = Int64(status.st_size)
    }

    deinit {
        close(descriptor)
    }

    /// At most `count` bytes from `offset` on; fewer only at the end of the file.
    func bytes(at offset: Int64, count: Int) throws(ArchiveError) -> [UInt8] {
        var failure: ArchiveError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            do throws(ArchiveError) {
                initializedCount = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Calls `body` with at most `count` bytes from `offset` on; fewer only at the end of the file.
    func withBytes<Result>(
        at offset: Int64,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result {
        try bytes(at: offset, count: count).withUnsafeBufferPointer { buffer throws(ArchiveError) in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Fills `buffer` with the bytes from `offset` on. Safe to call from any number of threads at once.
    ///
    /// - Returns: The number of bytes read, which is smaller than the buffer only at the end of the file.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let received = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + Int64(count)))
            if received < 0 && errno == EINTR { continue }
            guard received >= 0 else { throw Self.unreadable("can't be read", errno: errno) }
            if received == 0 { break }
            count += received
        }
        return count
    }

    private static func unreadable(_ problem: String, errno number: Int32) -> ArchiveError {
        let reason = String(cString: strerror(number))
        return ArchiveError(
            .unreadable,
            "\(problem): \(reason)",
            advice: "check the path and its permissions",
            cause: number
        )
    }
}

extension ArchiveError {
    /// Whether there is no file at the archive's path.
    package var isOfMissingFile: Bool { code == .unreadable && (cause == ENOENT || cause == ENOTDIR) }
}

/// A part of an archive's file in memory, which moves along with reading, so that memory doesn't depend on the file's
/// size. The file is never mapped: if it became shorter, reading a mapping would end the process.
final class FileWindow {
    /// The number of bytes read at a time after a jump, if no more are needed: the next entry may be elsewhere again.
    private static let minimumStepByteCount = 8 << 10
    /// The number of bytes read at a time after reading forward for long.
    private static let maximumStepByteCount = 256 << 10

    private let file: ArchiveFile
    private let end: Int64
    private var stepByteCount = minimumStepByteCount
    private var loaded: FileBlock?

    /// - Parameter end: The end of the readable range, at most the file's size.
    init(of file: ArchiveFile, upTo end: Int64) {
        self.file = file
        self.end = end
    }

    /// At most `count` bytes from `offset` on; fewer only at the end. They are valid until the next call.
    func bytes(at offset: Int64, count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        guard offset >= 0, offset < end, count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let wanted = offset..<offset + min(Int64(count), end - offset)
        if let bytes = loaded?.bytes(wanted) { return bytes }
        let block = try load(wanted)
        return block.bytes(wanted.clamped(to: block.range)) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The block that contains all the bytes of `range`, if they are loaded.
    func block(holding range: Range<Int64>) -> FileBlock? {
        loaded?.bytes(range) == nil ? nil : loaded
    }

    /// Moves to `wanted` and reads ahead: twice as much each time that reading goes forward.
    private func load(_ wanted: Range<Int64>) throws(ArchiveError) -> FileBlock {
        let goesForward = loaded.map {
            $0.range.lowerBound < wanted.lowerBound && wanted.lowerBound <= $0.range.upperBound
        }
        stepByteCount =
            goesForward == true ? min(2 * stepByteCount, Self.maximumStepByteCount) : Self.minimumStepByteCount
        let count = Int(min(max(Int64(wanted.count), Int64(stepByteCount)), end - wanted.lowerBound))
        let block = try FileBlock(of: file, from: wanted.lowerBound, count: count)
        loaded = block
        return block
    }
}

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

extension UnsafeRawBufferPointer {
    /// At most `count` bytes from `start` on.
    func part(from start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst(start).prefix(count))
    }
}
