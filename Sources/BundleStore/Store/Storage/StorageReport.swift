/// How much room each part of a store takes. Sizes are in bytes. A value type; safe to share between threads.
package struct StorageReport: Sendable {
    /// The sizes of a version.
    package struct Version: Sendable {
        /// The release.
        package let release: Release
        /// The contents that only this version refers to. Without it they are dead, and pruning frees them together
        /// with segments that hold nothing else or are mostly dead.
        package internal(set) var ownByteCount: Int64 = 0
        /// The contents that other versions, of this bundle or another, refer to as well.
        package internal(set) var sharedByteCount: Int64 = 0
        /// Its index.
        package internal(set) var indexByteCount: Int64 = 0
    }

    /// Every version that can be opened, by bundle, the active one first.
    package internal(set) var versions: [Version]
    /// The number of segments.
    package internal(set) var segmentCount = 0
    /// The contents of all segments: those of single versions, the shared ones (each once), the undetermined and the
    /// dead ones.
    package internal(set) var contentByteCount: Int64 = 0
    /// The contents that several versions refer to, each once.
    package internal(set) var sharedByteCount: Int64 = 0
    /// The contents that no version refers to. Pruning frees them when they make up more than half of a segment, or
    /// when the store exceeds its quota.
    package internal(set) var deadByteCount: Int64 = 0
    /// The contents that are, or may be, referred to only by versions that can't be opened. Pruning keeps them until
    /// these versions are repaired or removed. They don't count as dead.
    package internal(set) var undeterminedByteCount: Int64 = 0
    /// The indexes of all versions.
    package internal(set) var indexByteCount: Int64 = 0
    /// Cached responses from the network.
    package internal(set) var cacheByteCount: Int64 = 0
    /// Coded forms of contents. They have a quota of their own.
    package internal(set) var variantByteCount: Int64 = 0
    /// Archives that are being downloaded, and partial downloads.
    package internal(set) var downloadByteCount: Int64 = 0
    /// Files that are being written, or were being written when a process was killed; pruning removes the latter.
    package internal(set) var incomingByteCount: Int64 = 0
    /// The catalog including its log.
    package internal(set) var catalogByteCount: Int64 = 0
    /// The maximum total size of segments, indexes and cached bodies; nil for no limit.
    package internal(set) var quota: Int64?
}
