import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An archive's file, opened once: what is checked and what is read are the same file, even if the path is replaced.
final class ArchiveFile {
    let path: String
    let descriptor: Int32
    let byteCount: Int64

    init(path: String) throws(ArchiveError) {
        self.path = path
        // O_NONBLOCK: opening a FIFO must not wait for its writer; it has no effect on regular files.
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

    /// The bytes from `offset` on, at most `count`; fewer only at the end of the file.
    func bytes(at offset: Int64, count: Int) throws(ArchiveError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            while initializedCount < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[initializedCount...]
                )
                let received = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + Int64(initializedCount)))
                if received < 0 && errno == EINTR { continue }
                if received < 0 { failure = errno }
                if received <= 0 { return }
                initializedCount += received
            }
        }
        guard failure == 0 else { throw Self.unreadable("can't be read", errno: failure) }
        return bytes
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
