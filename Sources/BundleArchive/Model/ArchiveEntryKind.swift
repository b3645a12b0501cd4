/// The kind of an archive's entry.
package enum ArchiveEntryKind: Hashable, Sendable {
    /// A regular file, whose bytes ``ArchiveReader/read(into:)`` returns.
    case file
    /// A folder.
    case directory
    /// A symbolic link to `target`, exactly as in the archive; it may point anywhere.
    case symbolicLink(target: String)
    /// A second name for the entry `target`, exactly as in the archive.
    case hardLink(target: String)
    /// An entry that only makes sense on a running system, by its name: “character device”, “block device”, “FIFO”,
    /// “socket”, or “special file of unknown type”.
    case special(String)
}
