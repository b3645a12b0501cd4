import BundleArchive
import BundleStore

/// The files of a release, and where each one's compressed bytes are in its archive: a client that has some of them
/// fetches the others alone.
///
/// A value type; safe to share between threads.
package struct ContentList: Equatable, Sendable {
    /// One file.
    package struct File: Equatable, Sendable {
        /// The path in the bundle.
        package let path: BundlePath
        /// The length in bytes.
        package let byteCount: Int64
        /// SHA-256 of the content.
        package let digest: Digest
        /// Where its bytes are in the archive; nil when it has no place of its own there, as in a compressed tar.
        package let extent: CompressedExtent?

        package init(path: BundlePath, byteCount: Int64, digest: Digest, extent: CompressedExtent?) {
            self.path = path
            self.byteCount = byteCount
            self.digest = digest
            self.extent = extent
        }
    }

    /// The longest list in bytes, decoded: some 140,000 files. A larger release is fetched by a patch, or as a whole.
    package static let maximumByteCount = 32 << 20
    /// The longest list in bytes as it is fetched.
    package static let maximumEncodedByteCount: Int64 = 8 << 20

    /// The longest list that may come of this many bytes: a digest doesn't compress, so a real list is a few times as long,
    /// and what claims to be much longer would only fill the memory.
    package static func maximumByteCount(encodedAs byteCount: Int) -> Int {
        min(maximumByteCount, byteCount * 64 + (1 << 16))
    }

    /// The bundle.
    package let name: BundleName
    /// The release's version.
    package let version: BundleVersion
    /// SHA-256 of the archive that the extents are in.
    package let archive: Digest
    /// The files in the order of their paths' bytes.
    package let files: [File]

    package init(name: BundleName, version: BundleVersion, archive: Digest, files: [File]) {
        self.name = name
        self.version = version
        self.archive = archive
        self.files = files
    }
}

extension ContentList {
    /// The members of its document.
    package enum Key {
        package static let name = "name"
        package static let version = "version"
        package static let archive = "archive"
        package static let files = "files"
        package static let path = "path"
        package static let size = "size"
        package static let digest = "sha256"
        package static let offset = "offset"
        package static let length = "length"
        package static let method = "method"
    }

    /// How a file is kept in the archive.
    package enum Method {
        package static let stored = "store"
        package static let deflated = "deflate"
    }
}
