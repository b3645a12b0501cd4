import BundleStore
import Foundation

/// A lock on a folder itself (flock(2)), which needs no lock file. Released when the value is destroyed, and by the
/// kernel when the process ends.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock. Patches of a large release take minutes; but who may read the folder can also lock it, and a publisher who waits
    /// for ever wouldn't hear of that before the signatures expire.
    ///
    /// - Parameter patience: How long to wait. Default: 10 minutes.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when the folder can't be opened or locked.
    init(_ folder: String, patience: Duration = .seconds(600)) throws(BundleError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(folder) }
        let end = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK where ContinuousClock.now < end: usleep(20_000)
            case EWOULDBLOCK: throw Self.busy(folder)
            default: throw Self.failure(folder)
            }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func busy(_ folder: String) -> BundleError {
        BundleError(
            .outputUnavailable,
            "the folder \(Printable.line(folder)) is locked by another process all the time; find it with fuser, and end it"
        )
    }

    private static func failure(_ folder: String) -> BundleError {
        let reason = String(cString: strerror(errno))
        return BundleError(
            .outputUnavailable,
            "the folder \(Printable.line(folder)) can't be opened: \(reason); check that it is there and its permissions"
        )
    }
}

extension FolderLock {
    /// Runs `body` while this process has the locks of folders, which are taken in the order of their paths, so that two processes
    /// don't wait for each other.
    ///
    /// - Throws: As ``init(_:)``; what `body` throws.
    static func holding<Result>(_ folders: [String], _ body: () throws -> Result) throws -> Result {
        let paths = Set(folders.map(FileManager.realPath))
        return try holding(paths.sorted()[...], body)
    }

    private static func holding<Result>(_ folders: ArraySlice<String>, _ body: () throws -> Result) throws -> Result {
        guard let first = folders.first else { return try body() }
        let lock = try FolderLock(first)
        defer { withExtendedLifetime(lock) {} }
        return try holding(folders.dropFirst(), body)
    }
}
