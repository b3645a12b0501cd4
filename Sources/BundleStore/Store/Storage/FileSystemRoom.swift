import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How much space a file system has. A value.
package struct FileSystemRoom: Sendable, Equatable {
    /// Kept free for the catalog and other programs, regardless of the file system's size.
    private static let maximumReserve: Int64 = 64_000_000

    /// The space that can still be written, in bytes.
    package let freeByteCount: Int64
    /// The size of the file system in bytes.
    package let byteCount: Int64

    /// The space to leave free: a hundredth of the file system, at most 64 MB.
    package var reservedByteCount: Int64 { min(byteCount / 100, Self.maximumReserve) }

    /// - Throws: `Errno` when the file system can't be queried.
    package init(of folder: FilePath) throws {
        var status = statvfs()
        while statvfs(folder.string, &status) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        func byteCount(_ blockCount: some BinaryInteger) -> Int64 {
            let size = UInt64(clamping: status.f_frsize)
            let product = UInt64(clamping: blockCount).multipliedReportingOverflow(by: size)
            return product.overflow ? .max : Int64(clamping: product.partialValue)
        }
        // Without the blocks reserved for the superuser.
        freeByteCount = byteCount(status.f_bavail)
        self.byteCount = byteCount(status.f_blocks)
    }
}

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
}

extension Int64 {
    fileprivate func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
