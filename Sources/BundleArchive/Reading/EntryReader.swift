import CArchive

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Turns libarchive's header of an entry into an ``ArchiveEntry``. Must run under ``UTF8Locale``.
struct EntryReader {
    let pointer: OpaquePointer
    let budget: ReadBudget

    /// The entry's name, for errors: invalid UTF-8 is replaced.
    var displayName: String? {
        archive_entry_pathname(pointer).map { String(cString: $0) }
    }

    /// Reads the header.
    ///
    /// - Throws: ``ArchiveError`` with code `encrypted`, `nameNotUTF8`, `limitExceeded` for the name's length, or
    ///   `damaged` for a file without a size.
    func entry() throws(ArchiveError) -> ArchiveEntry {
        if archive_entry_is_encrypted(pointer) != 0 { throw .encrypted }
        let kind = kind
        let name = try name(kind: kind)
        guard kind == .file else { return ArchiveEntry(name: name, kind: kind, byteCount: 0) }
        let byteCount = archive_entry_size(pointer)
        guard archive_entry_size_is_set(pointer) != 0, byteCount >= 0 else {
            throw ArchiveError(.damaged, "has no valid size", advice: ArchiveError.fetchAgain)
        }
        return ArchiveEntry(name: name, kind: kind, byteCount: byteCount)
    }

    private func name(kind: ArchiveEntryKind) throws(ArchiveError) -> String {
        guard let bytes = archive_entry_pathname(pointer) else { throw .nameNotUTF8 }
        var count = strlen(bytes)
        try budget.checkName(byteCount: count)
        if kind == .directory {
            while count > 1, bytes[count - 1] == CChar(bitPattern: UInt8(ascii: "/")) { count -= 1 }
        }
        let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
        guard let name = String(validating: buffer, as: UTF8.self) else { throw .nameNotUTF8 }
        return name
    }

    private var kind: ArchiveEntryKind {
        if let target = archive_entry_hardlink(pointer) { return .hardLink(target: String(cString: target)) }
        return switch archive_entry_filetype(pointer) {
        case S_IFREG: .file
        case S_IFDIR: .directory
        case S_IFLNK: .symbolicLink(target: archive_entry_symlink(pointer).map { String(cString: $0) } ?? "")
        case S_IFCHR: .special("character device")
        case S_IFBLK: .special("block device")
        case S_IFIFO: .special("FIFO")
        case S_IFSOCK: .special("socket")
        default: .special("entry of unknown type")
        }
    }
}

extension ArchiveError {
    static var nameNotUTF8: ArchiveError {
        ArchiveError(.nameNotUTF8, "has a name that isn't UTF-8", advice: "repack the archive with UTF-8 names")
    }
}
