import Foundation
import SystemPackage

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
        try Self.accessing(path) {
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
