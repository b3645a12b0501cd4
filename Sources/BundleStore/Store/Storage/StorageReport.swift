/// What takes how much of a store. Sizes are in bytes. A value type; safe to share between threads.
public struct StorageReport: Sendable {
    /// What a version takes.
    public struct Version: Sendable {
        /// The release.
        public let release: Release
        /// The contents that only this version refers to. Without it they are dead, and pruning frees them with the segments
        /// that have nothing else, or are mostly dead.
        public internal(set) var ownByteCount: Int64 = 0
        /// The contents that other versions, of this bundle or another, refer to as well.
        public internal(set) var sharedByteCount: Int64 = 0
        /// Its index.
        public internal(set) var indexByteCount: Int64 = 0
    }

    /// Every version that can be opened, by bundle, the active one first.
    public internal(set) var versions: [Version]
    /// The number of segments.
    public internal(set) var segmentCount = 0
    /// The contents of all segments: the versions' own, the shared ones, each once, the undetermined and the dead ones.
    public internal(set) var contentByteCount: Int64 = 0
    /// The contents that several versions refer to, each once.
    public internal(set) var sharedByteCount: Int64 = 0
    /// The contents that no version refers to. Pruning frees them when a segment consists of them by over a half, or the
    /// store has more bytes than its quota.
    public internal(set) var deadByteCount: Int64 = 0
    /// The contents that only versions refer to which can't be opened, or may refer to. Pruning leaves them alone until these
    /// versions are repaired or removed. They aren't among the dead ones.
    public internal(set) var undeterminedByteCount: Int64 = 0
    /// The indexes of all versions.
    public internal(set) var indexByteCount: Int64 = 0
    /// What came from the network and is kept.
    public internal(set) var cacheByteCount: Int64 = 0
    /// Coded forms of contents. They have a quota of their own.
    public internal(set) var variantByteCount: Int64 = 0
    /// Archives that are being downloaded, or were begun to be.
    public internal(set) var downloadByteCount: Int64 = 0
    /// What is being written, or was when a process was killed: pruning removes it.
    public internal(set) var incomingByteCount: Int64 = 0
    /// The catalog with its log.
    public internal(set) var catalogByteCount: Int64 = 0
    /// The largest number of bytes that segments, indexes and cached bodies may have together; nil for any number.
    public internal(set) var quota: Int64?
}
