import BundleStore

/// A patch that a feed names: it turns the files of an earlier release into those of the one that lists it. A value type;
/// safe to share between threads.
package struct FeedPatch<Location: Equatable & Sendable>: Equatable, Sendable {
    /// The version of the earlier release, for people.
    package let from: BundleVersion
    /// ``/BundleStore/Release/filesDigest()`` of the earlier release.
    package let base: Digest
    /// The patch.
    package let file: FeedFile<Location>

    package init(from: BundleVersion, base: Digest, file: FeedFile<Location>) {
        self.from = from
        self.base = base
        self.file = file
    }
}
