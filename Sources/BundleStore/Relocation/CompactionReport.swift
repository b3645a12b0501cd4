/// What compaction did. A value type; safe to share between threads.
public struct CompactionReport: Sendable, Equatable {
    /// How many segments were mostly dead and are gone.
    public internal(set) var segmentCount = 0
    /// By how many bytes the segments have become smaller together.
    public internal(set) var byteCount: Int64 = 0
    /// Why segments that are mostly dead were left as they are; a line each.
    public internal(set) var warnings: [Notice] = []
}
