import SystemPackage

/// What a process holds while it updates a bundle, so that two don't download the same. Released when it goes away.
public final class UpdateLock: Sendable {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) {
        self.lock = lock
    }
}

extension BundleStore {
    /// Takes the right to update a bundle. Installing and serving it stay possible.
    ///
    /// - Throws: ``BundleError`` with code `storeBusy` when another process has it and `waits` is false,
    ///   `storeUnavailable` when the lock can't be made.
    public func lockUpdate(of name: BundleName, waits: Bool = false) throws -> UpdateLock {
        try Self.accessing(path) {
            guard let lock = try FileLock(layout.updateLock(name), .exclusive, waits: waits) else {
                throw BundleError(.storeBusy, "another process is updating \(name)", .wait)
            }
            return UpdateLock(lock)
        }
    }

    /// Where an archive is downloaded to. A file that is there already is the beginning of it, from an earlier try.
    public func downloadPath(for digest: Digest) -> String {
        layout.download(digest).string
    }
}
