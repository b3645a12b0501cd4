import BundleStore

/// What a feed says about the files of a release. A value type; safe to share between threads.
package struct FeedContents<Location: Equatable & Sendable>: Equatable, Sendable {
    /// ``/BundleStore/Release/filesDigest()`` of the release.
    package let filesDigest: Digest
    /// The ``/BundleInstall/ContentList``; nil when there is none.
    package let list: FeedFile<Location>?

    package init(filesDigest: Digest, list: FeedFile<Location>?) {
        self.filesDigest = filesDigest
        self.list = list
    }
}
