/// How much an untrusted archive may ask of this machine. Every bound is checked before or while bytes are produced, so
/// that a decompression bomb is refused early.
///
/// A value type; safe to share between threads.
public struct ArchiveLimits: Sendable {
    /// The largest number of entries, folders included; and as many folders again that only occur in the names of entries,
    /// each time that the entry before isn't in them.
    public var maximumEntryCount = 1_000_000
    /// The largest size of one file, in bytes. 4 GiB unless set.
    public var maximumEntryByteCount: Int64 = 4 << 30
    /// The largest size of all files together, in bytes. 16 GiB unless set.
    public var maximumTotalByteCount: Int64 = 16 << 30
    /// The largest ratio of what comes out to the size of the archive's file. It holds from
    /// ``ratioFreeByteCount`` on, since a small archive of repetitive text compresses well and does no harm. One layer
    /// of deflate reaches 1,032, and real assets stay under 100.
    public var maximumCompressionRatio: Int64 = 1_000
    /// The number of bytes that any archive may produce whatever its ratio. 16 MiB unless set.
    public var ratioFreeByteCount: Int64 = 16 << 20
    /// The longest name, in bytes of UTF-8.
    public var maximumNameByteCount = 4_096
    /// The largest number of folders that an entry may lie in, each in the one before; a folder counts itself.
    public var maximumDepth = 64
    /// The longest time from opening the archive to the end of what is checked in it, or nil for no bound. 10 minutes unless
    /// set.
    public var maximumDuration: Duration? = .seconds(600)
    /// The clock that ``maximumDuration`` is measured by.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// The default limits: generous for a bundle of web assets, harmless for a server.
    public init() {}
}
