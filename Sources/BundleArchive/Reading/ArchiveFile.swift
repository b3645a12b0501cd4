import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An archive's file, opened once: checking and reading use the same file, even if the path is replaced.
final class ArchiveFile: Sendable {
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
