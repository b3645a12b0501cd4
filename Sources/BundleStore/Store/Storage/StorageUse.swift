/// How much of the disk a store's content takes, and how much it may. A value type; safe to share between threads.
public struct StorageUse: Sendable, Equatable {
    /// The largest number of bytes that segments, indexes and cached bodies may have together; nil for any number.
    public let quota: Int64?
    /// The bytes that they have, by the sizes of the files: what the catalog refers to, downloads, and what is being written.
    public let byteCount: Int64
    /// How many of these bytes an install with the pruning after it may free: cached bodies, retained versions that aren't
    /// pinned, contents that no version refers to, and what was given up half fetched or half written.
    public let removableByteCount: Int64
}
