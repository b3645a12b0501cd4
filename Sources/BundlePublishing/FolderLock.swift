import BundleStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A lock on a folder itself (flock(2)), which needs no lock file. Released when the value is destroyed, and by the
/// kernel when the process ends.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when the folder can't be opened or locked.
    init(_ folder: String) throws(BundleError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(folder) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Self.failure(folder) }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func failure(_ folder: String) -> BundleError {
        let reason = String(cString: strerror(errno))
        return BundleError(
            .outputUnavailable,
            "the folder \(Printable.line(folder)) can't be opened: \(reason); check that it is there and its permissions"
        )
    }
}
