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
