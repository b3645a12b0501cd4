#if canImport(Darwin)
    import Darwin
    private let files = RLIMIT_NOFILE
#elseif canImport(Musl)
    import Musl
    private let files = RLIMIT_NOFILE
#else
    import Glibc
    private let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#endif

/// The part of the process's open files that connections to origins may take.
enum DescriptorShare {
    /// No server has a use for more.
    private static let maximumCount: rlim_t = 8_192

    /// The number of connections: half of the current limit of open files.
    static var connectionCount: Int {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return 512 }
        return Int(max(2, min(limit.rlim_cur / 2, maximumCount)))
    }
}
