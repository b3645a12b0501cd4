import BundleModel
import BundleStore

/// A place to which releases are published over the network: a bucket, or a repository of a registry. Safe to share between threads.
///
/// A publication reads what is there, makes its change in a folder of its own, and applies it. Readers see the feed before or the one
/// after, also when the process ends in between.
package protocol PublishingPlace: Sendable {
    /// What messages call it, such as `s3://bucket/shop`.
    var name: String { get }

    /// Reads which files there are.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the place can't be reached, or doesn't permit it.
    func contents() async throws -> PlaceContents

    /// Fetches a file.
    ///
    /// - Parameters:
    ///   - name: One of `contents`.
    ///   - path: Where it is saved; a file that is there is replaced.
    ///   - maximumByteCount: The longest file that is taken.
    /// - Throws: ``PlaceConflict`` when it has changed since; ``/BundleModel/BundleError`` with code `networkUnavailable` when it can't be
    ///   fetched; `invalidFeed` when it is longer; `outputUnavailable` when it can't be saved.
    func download(
        _ name: String,
        of contents: PlaceContents,
        to path: String,
        atMost maximumByteCount: Int64
    ) async throws

    /// The SHA-256 of a file.
    ///
    /// - Parameter name: One of `contents`.
    /// - Returns: Nil where the place doesn't know it.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` as ``contents()``.
    func digest(of name: String, in contents: PlaceContents) async throws -> Digest?

    /// Makes a change: adds first, replaces then, in the given order, and removes last. A file that was added already by an attempt that
    /// was interrupted needn't be sent again.
    ///
    /// - Parameters:
    ///   - change: What is different from `contents`.
    ///   - progress: Called periodically with the bytes that are sent.
    /// - Throws: ``PlaceConflict`` when somebody else has published since `contents` was read, with nothing replaced, or as much as the
    ///   next publication completes; ``/BundleModel/BundleError`` with code `networkUnavailable` as ``contents()``; `outputUnavailable`
    ///   when the place has no room, or has another file of a name that is added.
    func apply(
        _ change: PlaceChange,
        to contents: PlaceContents,
        progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws
}

/// Somebody else has published to the place meanwhile: the publication begins again with what is there now.
package struct PlaceConflict: Error {
    package init() {}
}

/// The files of a place at one time. A value type; safe to share between threads.
package struct PlaceContents: Equatable, Sendable {
    /// A file.
    package struct File: Equatable, Sendable {
        /// Its length in bytes.
        package let size: Int64
        /// Its SHA-256; nil where the place doesn't know it.
        package let digest: Digest?
        /// What identifies its bytes for the place, such as an entity tag.
        package let revision: String

        package init(size: Int64, digest: Digest?, revision: String) {
            (self.size, self.digest, self.revision) = (size, digest, revision)
        }
    }

    /// The most files.
    package static let maximumFileCount = 10_000
    /// The longest name in bytes.
    private static let maximumNameByteCount = 255

    /// The files by their names, each of which can be a file's here.
    package let files: [String: File]
    /// What identifies all of it, where the place has that; nil otherwise.
    package let revision: String?

    /// - Parameter files: What the place says. Names that can't be those of files here are left out.
    package init(files: [String: File], revision: String? = nil) {
        self.files = files.filter { Self.isName($0.key) }
        self.revision = revision
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= maximumNameByteCount && ConfinedFile.isName(name)
    }
}

/// A change of a place's files. A value type; safe to share between threads.
package struct PlaceChange: Equatable, Sendable {
    /// A file that is sent.
    package struct File: Equatable, Sendable {
        /// Its name in the place.
        package let name: String
        /// Where it is on this machine.
        package let path: String
        /// Its length in bytes.
        package let size: Int64
        /// Its SHA-256.
        package let digest: Digest

        package init(name: String, path: String, size: Int64, digest: Digest) {
            (self.name, self.path, self.size, self.digest) = (name, path, size, digest)
        }
    }

    /// Files that weren't there, and never change.
    package var added: [File] = []
    /// Files that take the place of others of their names, such as the feed and the timestamp after it.
    package var replaced: [File] = []
    /// The names of files that go.
    package var removed: [String] = []

    package init() {}

    /// Whether nothing is different.
    package var isEmpty: Bool { added.isEmpty && replaced.isEmpty && removed.isEmpty }
}
