/// Limits on the resources that an untrusted archive may use. Every limit is checked before or while bytes are
/// produced, so that a decompression bomb is refused early.
///
/// A value type; safe to share between threads.
public struct ArchiveLimits: Sendable {
    /// The maximum number of entries, including folders; in addition, as many folders that occur only in the names of
    /// entries, counted whenever the entry before isn't in them. Default: 1,000,000.
    public var maximumEntryCount = 1_000_000
    /// The maximum size of one file, in bytes. Default: 4 GiB.
    public var maximumEntryByteCount: Int64 = 4 << 30
    /// The maximum size of all files together, in bytes. Default: 16 GiB.
    public var maximumTotalByteCount: Int64 = 16 << 30
    /// The maximum ratio of the output to the size of the archive's file. It applies from ``ratioFreeByteCount`` on,
    /// because a small archive of repetitive text compresses well and does no harm. One layer of deflate reaches 1,032;
    /// real assets stay under 100. Default: 1,000.
    public var maximumCompressionRatio: Int64 = 1_000
    /// The number of bytes that any archive may produce regardless of its ratio. Default: 16 MiB.
    public var ratioFreeByteCount: Int64 = 16 << 20
    /// The maximum length of a name, in bytes of UTF-8. Default: 4,096.
    public var maximumNameByteCount = 4_096
    /// The maximum number of nested folders that an entry may lie in; a folder counts itself. Default: 64.
    public var maximumDepth = 64
    /// The maximum time from opening the archive to the end of its checks, or nil for no limit. Default: 10 minutes.
    public var maximumDuration: Duration? = .seconds(600)
    /// The clock for ``maximumDuration``.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the default limits: generous for a bundle of web assets, harmless for a server.
    public init() {}
}
