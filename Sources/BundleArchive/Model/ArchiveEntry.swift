/// The header of one entry of an archive. It hasn't been checked against a path policy: the name may be absolute,
/// contain `..`, or have occurred before.
///
/// A value type; safe to share between threads.
package struct ArchiveEntry: Hashable, Sendable {
    /// The name in the archive, without the slashes that end a folder's name. It is valid UTF-8, in any Unicode
    /// normalisation form. Compare its `utf8`, because `==` on strings also treats canonically equivalent names as
    /// equal.
    package let name: String
    /// File, folder, link or special.
    package let kind: ArchiveEntryKind
    /// The file's length in bytes as declared in the archive; 0 for everything but files.
    package let byteCount: Int64

    /// Creates an entry's header.
    package init(name: String, kind: ArchiveEntryKind, byteCount: Int64) {
        self.name = name
        self.kind = kind
        self.byteCount = byteCount
    }
}
