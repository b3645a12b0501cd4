/// How much of the disk a store's content takes, and how much it may. A value type; safe to share between threads.
public struct StorageUse: Sendable, Equatable {
    /// The largest number of bytes that segments, indexes and cached bodies may have together; nil for any number.
    public let quota: Int64?
    /// The bytes that they have: what the catalog refers to, by the sizes of the files.
    public let byteCount: Int64
    /// How many of these bytes an install with the pruning after it may free: cached bodies, retained versions that aren't
    /// pinned, and contents that no version refers to.
    public let removableByteCount: Int64
}
