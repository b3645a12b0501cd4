/// How much of the disk a store's content takes, and how much it may take. A value type; safe to share between threads.
public struct StorageUse: Sendable, Equatable {
    /// The maximum total size of segments, indexes and cached bodies in bytes; nil for no limit.
    public let quota: Int64?
    /// The bytes in use, by file size: what the catalog refers to, downloads, and files being written.
    public let byteCount: Int64
    /// How many of these bytes an install and the pruning after it may free: cached bodies, retained versions that
    /// aren't pinned, contents that no version refers to, and abandoned partial downloads and writes.
    public let removableByteCount: Int64
}
