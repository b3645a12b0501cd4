import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How much room a file system has. A value.
struct FileSystemRoom: Sendable, Equatable {
    /// Stays free for the catalog and for other programs, however large the file system is.
    private static let maximumReserve: Int64 = 64_000_000

    /// What may still be written, in bytes.
    let freeByteCount: Int64
    /// How large it is, in bytes.
    let byteCount: Int64

    /// What is left free: a hundredth, and not more than 64 MB.
    var reservedByteCount: Int64 { min(byteCount / 100, Self.maximumReserve) }

    /// - Throws: `Errno` when it can't be found out.
    init(of folder: FilePath) throws {
        var status = statvfs()
        while statvfs(folder.string, &status) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        func byteCount(_ blockCount: some BinaryInteger) -> Int64 {
            let size = UInt64(clamping: status.f_frsize)
            let product = UInt64(clamping: blockCount).multipliedReportingOverflow(by: size)
            return product.overflow ? .max : Int64(clamping: product.partialValue)
        }
        // What isn't kept for the superuser.
        freeByteCount = byteCount(status.f_bavail)
        self.byteCount = byteCount(status.f_blocks)
    }
}
