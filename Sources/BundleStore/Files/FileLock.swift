import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An advisory lock between processes (flock(2)), held as long as the object lives. The kernel releases it when the
/// process ends, for whatever reason. Only the owner may open the file, because a process that can read a file can lock
/// it.
package final class FileLock: Sendable {
    package enum Mode {
        case shared, exclusive
    }

    private let descriptor: FileDescriptor

    /// Whether waiting ends when the task is cancelled. flock(2) itself can't be cancelled. Apple's systems end a suspended process that
    /// gets a lock in a container that it shares (0xdead10cc), so there a client that is being suspended has to leave the queue.
    #if canImport(Darwin)
        private static let isCancellable = true
    #else
        private static let isCancellable = false
    #endif

    /// Between two attempts, in microseconds, while waiting can be cancelled.
    private static let pause: useconds_t = 10_000

    /// Takes the lock, or returns nil at once when another process holds a conflicting one and `waits` is false.
    ///
    /// - Parameter isCancellable: Whether waiting ends when the task is cancelled.
    /// - Throws: `Errno` when the lock file can't be created or locked; `CancellationError`.
    package init?(_ path: FilePath, _ mode: Mode, waits: Bool, isCancellable: Bool = isCancellable) throws {
        let descriptor = try FileOwner.open(
            path,
            .readWrite,
            options: [.create, .noFollow, .closeOnExec],
            permissions: .ownerReadWrite
        )
        Self.closeToOthers(descriptor)
        do {
            guard try Self.lock(descriptor, mode, waits: waits, isCancellable: isCancellable) else {
                try? descriptor.close()
                return nil
            }
        } catch {
            try? descriptor.close()
            throw error
        }
        self.descriptor = descriptor
    }

    /// Locks an open file.
    ///
    /// - Returns: False when another process holds a conflicting lock and `waits` is false.
    /// - Throws: `Errno` when the file can't be locked; `CancellationError`.
    static func lock(
        _ descriptor: FileDescriptor,
        _ mode: Mode,
        waits: Bool,
        isCancellable: Bool = isCancellable
    ) throws -> Bool {
        let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | (waits && !isCancellable ? 0 : LOCK_NB)
        while flock(descriptor.rawValue, operation) != 0 {
            switch Errno(rawValue: errno) {
            case .interrupted: continue
            case .wouldBlock where !waits: return false
            case .wouldBlock:
                try Task.checkCancellation()
                usleep(pause)
            case let error: throw error
            }
        }
        return true
    }

    /// Runs `body` and keeps the lock until it returns, which a local variable alone doesn't guarantee.
    package func whileHeld<Result>(_ body: () throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self, body)
    }

    /// Removes permissions that an earlier version granted to other users.
    private static func closeToOthers(_ descriptor: FileDescriptor) {
        guard let status = try? descriptor.stat(), status.permissions.rawValue & 0o077 != 0 else { return }
        // Only the owner can. If another user may write to the file, the owner has granted that.
        _ = fchmod(descriptor.rawValue, 0o600)
    }

    deinit {
        try? descriptor.close()
    }
}
