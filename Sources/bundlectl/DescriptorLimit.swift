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

/// How many files and connections the process may have open.
enum DescriptorLimit {
    /// As many as a server has a use for.
    private static let wanted: rlim_t = 1 << 17

    /// Takes as many as the system gives without asking: shells start programs with 1,024, a quarter of what a busy server
    /// has, for the sake of old ones that can't have more.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        // What is refused stays as it was, and the server goes on with fewer.
        _ = setrlimit(files, &limit)
    }
}
