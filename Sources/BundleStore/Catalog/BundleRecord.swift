/// What the catalog says of a bundle: which of its releases answers.
struct BundleRecord: Sendable {
    let name: BundleName
    /// The row of the active release; nil when there is none.
    let active: Int64?
    /// After a rollback: versions up to this one aren't taken from the feed again.
    let heldVersion: BundleVersion?
}
