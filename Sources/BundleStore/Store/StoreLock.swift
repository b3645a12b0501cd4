import Foundation
import SystemPackage

/// The locks that writers take: the store shared, so that it isn't pruned meanwhile, and one bundle exclusively; or the
/// store exclusively, to prune.
package enum StoreLock {
    /// - Parameter bundle: The bundle to lock, or nil for the store.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process holds a conflicting lock and
    ///   `waits` is false.
    package static func take(
        _ layout: StoreLayout,
        bundle: BundleName?,
        _ mode: FileLock.Mode,
        waits: Bool
    ) throws -> FileLock {
        guard let lock = try FileLock(layout.lock(bundle), mode, waits: waits) else {
            throw BundleError(
                .storeBusy,
                "another process is working on \(bundle.map { "bundle \($0)" } ?? "the store") in \(layout.root)",
                .wait
            )
        }
        return lock
    }

    /// Locks the store shared. Waits for a running prune regardless of `waits`: it is short, and isn't a change to the
    /// bundle in question.
    package static func share(_ layout: StoreLayout) throws -> FileLock {
        try take(layout, bundle: nil, .shared, waits: true)
    }

    /// Runs `body` with the store locked shared and the bundle locked exclusively.
    package static func changing<Result>(
        _ layout: StoreLayout,
        bundle: BundleName,
        waits: Bool,
        _ body: () throws -> Result
    ) throws -> Result {
        try share(layout).whileHeld {
            try take(layout, bundle: bundle, .exclusive, waits: waits).whileHeld(body)
        }
    }
}

/// Held by a process while it updates a bundle, so that two processes don't download the same archive. Released on
/// deinit.
package final class UpdateLock: Sendable {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) {
        self.lock = lock
    }
}

extension BundleStore {
    /// Locks a bundle for updating. It can still be installed and served.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process has the lock and `waits` is
    ///   false, `storeUnavailable` when the lock file can't be created.
    package func lockUpdate(of name: BundleName, waits: Bool = false) throws -> UpdateLock {
        try StoreAccess.run(at: path) {
            guard let lock = try FileLock(layout.updateLock(name), .exclusive, waits: waits) else {
                throw BundleError(.storeBusy, "another process is updating \(name)", .wait)
            }
            return UpdateLock(lock)
        }
    }

    /// The path that a file is downloaded to. An existing file there is a partial download from an earlier attempt.
    package func downloadPath(for key: DownloadKey) -> String {
        layout.download(key).string
    }

    /// The path that single files of an archive are downloaded to. An existing file there is from an earlier attempt.
    package func entriesPath(for archive: DownloadKey) -> String { "\(layout.download(archive)).entries" }

    /// Removes what was downloaded of a file, of single files of it too. Call it while the bundle is locked for updating.
    package func removeDownloads(of key: DownloadKey) {
        for path in [downloadPath(for: key), entriesPath(for: key)]
        where FileManager.default.fileExists(atPath: path) {
            try? DownloadFile(path).remove()
        }
    }

    /// How many bytes of a file have been downloaded, in an earlier attempt too; 0 when none have.
    package func downloadedByteCount(of key: DownloadKey) -> Int64 {
        layout.byteCount(of: layout.download(key))
    }

    /// How many bytes of single files of an archive have been downloaded; 0 when none have, or others.
    ///
    /// - Parameter identifier: Says which files, as the download's validator does.
    package func downloadedByteCount(ofEntries archive: DownloadKey, _ identifier: Digest) -> Int64 {
        let path = FilePath(entriesPath(for: archive))
        return DownloadFile.validator(of: path) == identifier.hex ? layout.byteCount(of: path) : 0
    }
}

/// Held by an endpoint while it serves a store, beside any number of others. Released on deinit.
package final class ServingLock: Sendable {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) {
        self.lock = lock
    }
}

/// Held by a process while it fetches what a bundle names in `precache`. Released on deinit.
package final class PrecacheLock: Sendable {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) {
        self.lock = lock
    }
}

extension BundleStore {
    /// Says that the store is being served. Nil when the lock can't be taken: the store is only read then.
    package func lockServing() -> ServingLock? {
        (try? FileLock(layout.servingLock, .shared, waits: true)).flatMap { $0 }.map(ServingLock.init)
    }

    /// Whether an endpoint serves the store; nil when that can't be determined.
    package var isBeingServed: Bool? {
        do { return try FileLock(layout.servingLock, .exclusive, waits: false) == nil } catch { return nil }
    }

    /// Locks what a bundle names in `precache`, so that two processes don't fetch the same. Nil when another process has
    /// the lock, or it can't be taken.
    package func lockPrecache(of name: BundleName) -> PrecacheLock? {
        (try? FileLock(layout.precacheLock(name), .exclusive, waits: false)).flatMap { $0 }.map(PrecacheLock.init)
    }
}
