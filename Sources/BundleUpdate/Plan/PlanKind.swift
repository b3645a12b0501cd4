/// How a release is fetched. A value type; safe to share between threads.
public enum PlanKind: String, Sendable, CaseIterable {
    /// A patch from a release that the store has.
    case patch
    /// Only the files whose contents the store lacks, as ranges of the archive.
    case entries
    /// The whole archive.
    case archive
}
