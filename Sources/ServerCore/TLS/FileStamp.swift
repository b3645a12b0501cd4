import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Detects that a file was replaced or written to. Symbolic links are followed, because tools that renew certificates
/// change them.
struct FileStamp: Equatable, Sendable {
    private let device: DeviceID
    private let inode: Inode
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns nil when there is no such file.
    init?(_ path: String) {
        guard let status = try? FilePath(path).stat() else { return nil }
        device = status.deviceID
        inode = status.inode
        size = status.size
        seconds = Int(status.st_mtim.tv_sec)
        nanoseconds = Int(status.st_mtim.tv_nsec)
    }
}
