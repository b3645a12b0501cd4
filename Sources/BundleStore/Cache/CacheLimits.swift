/// How much a store keeps of what comes from the network. What hasn't been used for longest is dropped first. A value
/// type; safe to share between threads.
public struct CacheLimits: Sendable, Hashable {
    /// What each response counts besides its body, in bytes: its metadata and its place in the catalog.
    public static let overheadByteCount: Int64 = 512

    /// The largest number of responses; 0 or more. Default: as many as ``maximumByteCount`` allows.
    public var maximumCount = Int.max
    /// The largest number of bytes on the disk: the bodies, and ``overheadByteCount`` for each response; 0 or more.
    public var maximumByteCount: Int64

    /// - Parameter maximumByteCount: The largest number of bytes on the disk. Default: 512 MiB.
    public init(maximumByteCount: Int64 = 512 << 20) {
        self.maximumByteCount = max(maximumByteCount, 0)
    }

    /// Whether responses exceed the limits.
    func areExceeded(count: Int64, byteCount: Int64) -> Bool {
        let overhead = count.multipliedReportingOverflow(by: Self.overheadByteCount)
        let total = overhead.partialValue.addingReportingOverflow(byteCount)
        return count > Int64(clamping: maximumCount) || overhead.overflow || total.overflow
            || total.partialValue > maximumByteCount
    }
}
