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
package enum OpenFileLimit {
    /// The current limit; nil when the system doesn't tell.
    package static var current: Int? { limit.map { Int(clamping: $0.rlim_cur) } }

    /// Raises the limit to a number, as far as the system allows without privileges. On failure it stays as it was.
    package static func raise(to wanted: Int) {
        guard var limit, let wanted = rlim_t(exactly: wanted), limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(files, &limit)
    }

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(files, &limit) == 0 ? limit : nil
    }
}
