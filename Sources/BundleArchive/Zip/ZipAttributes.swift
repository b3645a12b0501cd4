#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The type of an entry according to its attributes in the central directory (APPNOTE 6.3.10, sections 4.4.2 and
/// 4.4.15). The permission, setuid, setgid and sticky bits are ignored.
struct ZipAttributes: Equatable {
    private static let directoryBit: UInt32 = 0x10

    private let type: mode_t
    private let hasDirectoryBit: Bool

    /// - Parameters:
    ///   - host: The system that the attributes belong to: 3 for Unix, 19 for macOS.
    ///   - external: The attributes; for Unix with the mode in the upper half.
    init(host: UInt8, external: UInt32) {
        type = host == 3 || host == 19 ? mode_t(external >> 16) & S_IFMT : 0
        hasDirectoryBit = external & Self.directoryBit != 0
    }

    /// The entry's type.
    ///
    /// - Parameter hasSlash: Whether its name ends with a slash, as a folder's does.
    func type(hasSlash: Bool) throws(ArchiveError) -> EntryType {
        switch type {
        // Folders often have the mode of a file, which is harmless as long as they have no data.
        case S_IFREG: return hasSlash ? .directory : .file
        case S_IFDIR: return .directory
        case 0: return hasSlash || hasDirectoryBit ? .directory : .file
        default:
            guard !hasSlash else { throw .damagedZip("has a folder's name but isn't one") }
            return otherType
        }
    }

    private var otherType: EntryType {
        switch type {
        case S_IFLNK: .symbolicLink
        case S_IFCHR: .special("character device")
        case S_IFBLK: .special("block device")
        case S_IFIFO: .special("FIFO")
        case S_IFSOCK: .special("socket")
        default: .special("special file of unknown type")
        }
    }

    /// An entry's kind, before the link's target is known.
    enum EntryType: Equatable {
        case file
        case directory
        case symbolicLink
        case special(String)
    }
}
