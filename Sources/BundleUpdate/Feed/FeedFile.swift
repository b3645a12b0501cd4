import BundleStore

/// A file that a feed names, with what is needed to verify it: a content list or a patch. A value type; safe to share
/// between threads.
///
/// `Location` is the URL reference as the feed has it, or the URL that it stands for.
package struct FeedFile<Location: Equatable & Sendable>: Equatable, Sendable {
    /// Where it is.
    package let location: Location
    /// Its size in bytes, 1 or more.
    package let size: Int64
    /// Its SHA-256.
    package let digest: Digest

    package init(location: Location, size: Int64, digest: Digest) {
        self.location = location
        self.size = size
        self.digest = digest
    }
}
