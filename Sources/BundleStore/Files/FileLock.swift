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

    /// Takes the lock, or returns nil at once when another process holds a conflicting one and `waits` is false.
    ///
    /// - Throws: `Errno` when the lock file can't be created or locked.
    package init?(_ path: FilePath, _ mode: Mode, waits: Bool) throws {
        let descriptor = try FileOwner.open(
            path,
            .readWrite,
            options: [.create, .noFollow, .closeOnExec],
            permissions: .ownerReadWrite
        )
        Self.closeToOthers(descriptor)
        let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
        while flock(descriptor.rawValue, operation) != 0 {
            let error = Errno(rawValue: errno)
            if error == .interrupted { continue }
            try? descriptor.close()
            guard error == .wouldBlock else { throw error }
            return nil
        }
        self.descriptor = descriptor
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
