import Foundation
import SystemPackage

extension BundleStore {
    /// Checks, before an archive is fetched, that there is room for it: in the quota, for the archive beside what can't
    /// be removed; on the disk, for the rest of the archive, for its contents, which usually take at least as much, and
    /// for a reserve.
    ///
    /// - Parameters:
    ///   - key: The archive. A partial download of it may exist, see ``downloadPath(for:)``.
    ///   - byteCount: Its advertised length in bytes.
    /// - Throws: ``/BundleModel/BundleError`` with code `quotaExceeded` or `storeUnavailable` when there is no room,
    ///   and with the latter when that can't be determined.
    package func checkRoom(forArchive key: DownloadKey, of byteCount: Int64) throws {
        try StoreAccess.run(at: path) {
            let use = try storageUse()
            let kept = max(use.byteCount - use.removableByteCount, 0)
            if let quota = use.quota, byteCount > quota - min(kept, quota) {
                throw BundleError(
                    .quotaExceeded,
                    "an archive of \(ByteCount.text(byteCount)) was offered, and the store in \(layout.root) may have "
                        + "\(ByteCount.text(quota)), of which \(ByteCount.text(kept)) can't be freed; nothing was fetched; raise the quota, or remove or unpin versions"
                )
            }
            let room = try FileSystemRoom(of: layout.root)
            let present = downloadedByteCount(of: key)
            let needed = max(byteCount - present, 0).addingWithoutOverflow(byteCount)
            guard needed <= room.freeByteCount - min(room.reservedByteCount, room.freeByteCount) else {
                throw BundleError(
                    .storeUnavailable,
                    "an archive of \(ByteCount.text(byteCount)) was offered, which takes \(ByteCount.text(needed)) until it is "
                        + "installed; the disk of \(layout.root) has \(ByteCount.text(room.freeByteCount)) free, of which "
                        + "\(ByteCount.text(room.reservedByteCount)) are reserved; nothing was fetched",
                    .freeSpace
                )
            }
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

extension Int64 {
    fileprivate func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
