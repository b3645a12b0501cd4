/// The head of one entry of an archive: what it is called and what it is. Nothing here has been checked against a path
/// policy: the name may be absolute, hold `..`, or have occurred before.
///
/// A value type; safe to share between threads.
public struct ArchiveEntry: Hashable, Sendable {
    /// The name as the archive has it, without the slashes that end a folder's name. It is valid UTF-8,
    /// in whichever Unicode normalisation form. Compare its `utf8`, as `==` on strings also takes canonically equal names
    /// for equal.
    public let name: String
    /// File, folder, link or something else.
    public let kind: ArchiveEntryKind
    /// The number of bytes that the archive says the file has; 0 for everything but files.
    public let byteCount: Int64

    /// Makes an entry's head.
    public init(name: String, kind: ArchiveEntryKind, byteCount: Int64) {
        self.name = name
        self.kind = kind
        self.byteCount = byteCount
    }
}
