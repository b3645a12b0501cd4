#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A locale with UTF-8 as its character encoding. A Swift program starts in locale “C”, in which libarchive returns nil
/// for every name outside ASCII.
package enum UTF8Locale {
    // A locale object is immutable, and this one is never freed.
    private nonisolated(unsafe) static let locale = make("C.UTF-8") ?? make("en_US.UTF-8")

    private static func make(_ name: String) -> locale_t? {
        newlocale(LC_CTYPE_MASK, name, nil)
    }

    /// Runs `body` in this locale. The locale applies to the calling thread, so `body` must not suspend.
    package static func perform<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let previous = uselocale(locale)
        defer { uselocale(previous) }
        return try body()
    }
}
