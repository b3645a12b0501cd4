import BundleModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One record of a zip's central directory (APPNOTE 6.3.10, section 4.3.12). Its name and extra fields are views of the
/// buffer that it was read from.
struct ZipDirectoryRecord {
    static let fixedByteCount = 46
    private static let signature: UInt32 = 0x0201_4B50

    /// The name's bytes.
    let name: UnsafeRawBufferPointer
    let flags: ZipFlags
    let method: UInt16
    let checksum: UInt32
    /// The length of the entry's data in the archive.
    let compressedByteCount: Int64
    /// The length of the file.
    let uncompressedByteCount: Int64
    /// The offset of the entry's local header.
    let localHeaderOffset: Int64
    let attributes: ZipAttributes
    /// Whether it was made on MS-DOS or Windows (section 4.4.2: FAT, NTFS, VFAT).
    let isFromWindows: Bool
    let extraFields: ZipExtraFields

    /// The size of the record that starts with `bytes`, or nil when there is none or its fixed part is incomplete.
    static func byteCount(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.littleEndian(UInt32.self, at: 0) == signature,
            let nameByteCount = bytes.littleEndian(UInt16.self, at: 28),
            let extraByteCount = bytes.littleEndian(UInt16.self, at: 30),
            let commentByteCount = bytes.littleEndian(UInt16.self, at: 32),
            bytes.count >= fixedByteCount
        else { return nil }
        return fixedByteCount + Int(nameByteCount) + Int(extraByteCount) + Int(commentByteCount)
    }

    /// Reads a record from its bytes. An error names the entry.
    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        do throws(ArchiveError) {
            try self.init(unnamed: bytes)
        } catch {
            let nameByteCount = bytes.littleEndian(UInt16.self, at: 28) ?? 0
            let name = bytes.part(from: Self.fixedByteCount, count: Int(nameByteCount))
            throw error.concerning(String(decoding: name, as: UTF8.self))
        }
    }

    private init(unnamed bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard let flags = bytes.littleEndian(UInt16.self, at: 8),
            let method = bytes.littleEndian(UInt16.self, at: 10),
            let checksum = bytes.littleEndian(UInt32.self, at: 16),
            let compressedByteCount = bytes.littleEndian(UInt32.self, at: 20),
            let uncompressedByteCount = bytes.littleEndian(UInt32.self, at: 24),
            let nameByteCount = bytes.littleEndian(UInt16.self, at: 28),
            let extraByteCount = bytes.littleEndian(UInt16.self, at: 30),
            let disk = bytes.littleEndian(UInt16.self, at: 34),
            let externalAttributes = bytes.littleEndian(UInt32.self, at: 38),
            let localHeaderOffset = bytes.littleEndian(UInt32.self, at: 42)
        else { throw Self.broken }
        name = bytes.part(from: Self.fixedByteCount, count: Int(nameByteCount))
        extraFields = try ZipExtraFields(
            bytes.part(from: Self.fixedByteCount + Int(nameByteCount), count: Int(extraByteCount))
        )
        self.flags = ZipFlags(rawValue: flags)
        self.method = method
        self.checksum = checksum
        isFromWindows = [0, 10, 14].contains(bytes[5])
        attributes = ZipAttributes(host: bytes[5], external: externalAttributes)
        let saturatedCount = [compressedByteCount, uncompressedByteCount, localHeaderOffset].count { $0 == .max }
        var wide = try Zip64Field(
            extraFields.zip64,
            saturatedByteCount: saturatedCount * 8 + (disk == .max ? 4 : 0)
        )
        self.uncompressedByteCount = try wide.value(widening: uncompressedByteCount)
        self.compressedByteCount = try wide.value(widening: compressedByteCount)
        self.localHeaderOffset = try wide.value(widening: localHeaderOffset)
        try wide.checkDisk(disk)
        try wide.checkEnd()
    }

    static var broken: ArchiveError {
        .damagedZip("has a broken list of entries")
    }
}

/// The general purpose bit flags of an entry (APPNOTE 6.3.10, section 4.4.4).
struct ZipFlags: OptionSet {
    let rawValue: UInt16

    /// The data is encrypted.
    static let encrypted = ZipFlags(rawValue: 1 << 0)
    /// Checksum and sizes follow the data.
    static let dataDescriptor = ZipFlags(rawValue: 1 << 3)
    /// The data is a patch.
    static let patch = ZipFlags(rawValue: 1 << 5)
    /// The data is encrypted with PKWARE's strong encryption.
    static let stronglyEncrypted = ZipFlags(rawValue: 1 << 6)
    /// The name is UTF-8.
    static let utf8 = ZipFlags(rawValue: 1 << 11)
    /// The local header is masked, because the directory is encrypted.
    static let masked = ZipFlags(rawValue: 1 << 13)

    /// Throws for features that aren't supported.
    func checkSupported() throws(ArchiveError) {
        guard isDisjoint(with: [.encrypted, .stronglyEncrypted, .masked]) else { throw .encrypted }
        guard !contains(.patch) else {
            throw ArchiveError(
                .unsupportedFormat,
                "is a patch for another file, which isn't supported",
                advice: "repack it with the file itself"
            )
        }
    }
}

extension ArchiveError {
    static var encrypted: ArchiveError {
        ArchiveError(.encrypted, "is encrypted", advice: "repack it without a password")
    }
}

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

/// Iterates a zip's central directory without loading all of it.
final class ZipDirectoryCursor {
    private let window: FileWindow
    private let end: ZipEndRecord
    private var position: Int64
    private var count: Int64 = 0

    init(in file: ArchiveFile, end: ZipEndRecord) {
        self.end = end
        window = FileWindow(of: file, upTo: end.directory.upperBound)
        position = end.directory.lowerBound
    }

    /// The number of the directory's bytes that have been read.
    var consumedByteCount: Int64 { position - end.directory.lowerBound }

    /// The next record, valid until the next call, or nil at the directory's end.
    func next() throws(ArchiveError) -> ZipDirectoryRecord? {
        guard position < end.directory.upperBound else {
            guard count == end.entryCount else { throw miscounted }
            return nil
        }
        let start = try window.bytes(at: position, count: ZipDirectoryRecord.fixedByteCount)
        guard let byteCount = ZipDirectoryRecord.byteCount(of: start) else { throw ZipDirectoryRecord.broken }
        let bytes = try window.bytes(at: position, count: byteCount)
        guard bytes.count == byteCount else { throw ZipDirectoryRecord.broken }
        guard count < end.entryCount else { throw miscounted }
        position += Int64(byteCount)
        count += 1
        return try ZipDirectoryRecord(bytes)
    }

    private var miscounted: ArchiveError {
        let listed = count == end.entryCount ? "more" : "fewer"
        return .damagedZip("says that it has \(end.entryCount) entries but lists \(listed)")
    }
}
