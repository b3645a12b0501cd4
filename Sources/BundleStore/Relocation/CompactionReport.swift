/// The result of a compaction. A value type; safe to share between threads.
public struct CompactionReport: Sendable, Equatable {
    /// The number of mostly dead segments that were removed.
    public internal(set) var segmentCount = 0
    /// By how many bytes the segments shrank in total.
    public internal(set) var byteCount: Int64 = 0
    /// Why mostly dead segments were kept unchanged; one line each.
    public internal(set) var warnings: [Notice] = []
}
