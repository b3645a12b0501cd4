/// What an entry of an archive is.
public enum ArchiveEntryKind: Hashable, Sendable {
    /// A regular file, whose bytes ``ArchiveReader/read(into:)`` gives.
    case file
    /// A folder.
    case directory
    /// A symbolic link to `target`, which is as the archive has it and may point anywhere.
    case symbolicLink(target: String)
    /// A second name for the entry `target`, which is as the archive has it.
    case hardLink(target: String)
    /// Something that only makes sense on a running system, by its name: “character device”, “block device”, “FIFO”,
    /// “socket”, or “special file of unknown type”.
    case special(String)
}
