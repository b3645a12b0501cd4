/// A bundle in the catalog: which of its releases is served.
struct BundleRecord: Sendable {
    let name: BundleName
    /// The row of the active release; nil when there is none.
    let active: Int64?
    /// After a rollback: versions up to this one aren't taken from the feed again.
    let heldVersion: BundleVersion?
}
