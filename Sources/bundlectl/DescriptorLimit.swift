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

/// The limit on files and connections that the process may have open.
enum DescriptorLimit {
    /// As many as a server can use.
    private static let wanted: rlim_t = 1 << 17

    /// Raises the limit as far as the system allows without privileges: shells start programs with 1,024, a quarter of
    /// what a busy server has open, for the sake of old programs that can't handle more.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        // On failure the limit stays as it was, and the server runs with fewer.
        _ = setrlimit(files, &limit)
    }
}
