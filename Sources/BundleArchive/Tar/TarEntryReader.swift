import CArchive

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Converts libarchive's header of an entry to an ``ArchiveEntry``. Must run in ``UTF8Locale``.
struct TarEntryReader {
    let pointer: OpaquePointer
    let charset: ArchiveCharset?

    /// The entry's name for errors: invalid UTF-8 is replaced.
    var displayName: String? {
        archive_entry_pathname(pointer).map { String(cString: $0) }
    }

    /// Reads the header.
    ///
    /// - Throws: ``ArchiveError`` with code `nameNotUTF8`, or `damaged` for a file without a size.
    func entry() throws(ArchiveError) -> ArchiveEntry {
        let kind = try kind()
        let name = try name(kind: kind)
        guard kind == .file else {
            // A file whose name ends in a slash is treated as a folder, and some programs then skip its data.
            guard archive_entry_size(pointer) == 0 else { throw .unclearTar("isn't a file but has data") }
            return ArchiveEntry(name: name, kind: kind, byteCount: 0)
        }
        let byteCount = archive_entry_size(pointer)
        guard archive_entry_size_is_set(pointer) != 0, byteCount >= 0 else {
            throw ArchiveError(.damaged, "has no valid size", advice: ArchiveError.fetchAgain)
        }
        return ArchiveEntry(name: name, kind: kind, byteCount: byteCount)
    }

    private func name(kind: ArchiveEntryKind) throws(ArchiveError) -> String {
        guard let bytes = archive_entry_pathname(pointer) else { throw .nameNot(charset) }
        var count = strlen(bytes)
        if kind == .directory {
            while count > 1, bytes[count - 1] == CChar(bitPattern: UInt8(ascii: "/")) { count -= 1 }
        }
        return try text(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func text(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .nameNot(charset) }
        return text
    }

    /// A link's target; libarchive returns nil for an empty one.
    private func text(_ target: UnsafePointer<CChar>?) throws(ArchiveError) -> String {
        guard let target else { return "" }
        return try text(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    }

    private func kind() throws(ArchiveError) -> ArchiveEntryKind {
        if let target = archive_entry_hardlink(pointer) { return .hardLink(target: try text(target)) }
        return switch archive_entry_filetype(pointer) {
        case S_IFREG: .file
        case S_IFDIR: .directory
        case S_IFLNK: .symbolicLink(target: try text(archive_entry_symlink(pointer)))
        case S_IFCHR: .special("character device")
        case S_IFBLK: .special("block device")
        case S_IFIFO: .special("FIFO")
        case S_IFSOCK: .special("socket")
        default: .special("special file of unknown type")
        }
    }
}
