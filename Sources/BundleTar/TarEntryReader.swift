import BundleArchive
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

/// The bytes of the current entry, checked against the declared size.
struct TarEntryContents {
    /// No entry, or an entry without bytes.
    static let none = TarEntryContents(declaredByteCount: 0, isSparse: false, isComplete: true)

    private let declaredByteCount: Int64
    private let isSparse: Bool
    private var producedByteCount: Int64 = 0
    /// Whether everything has been read and verified.
    private(set) var isComplete: Bool

    private init(declaredByteCount: Int64, isSparse: Bool, isComplete: Bool) {
        self.declaredByteCount = declaredByteCount
        self.isSparse = isSparse
        self.isComplete = isComplete
    }

    /// The contents of `entry`.
    ///
    /// - Parameter isSparse: Whether it may have holes, which aren't stored in the archive.
    init(of entry: ArchiveEntry, isSparse: Bool) {
        self.init(declaredByteCount: entry.byteCount, isSparse: isSparse, isComplete: entry.kind != .file)
    }

    /// Fills `buffer`, and verifies the entry when its end is reached.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        from source: TarSource
    ) throws(ArchiveError) -> Int {
        let count = try fill(buffer, from: source)
        producedByteCount += Int64(count)
        // libarchive verifies the checksum at the end, so one more step is needed when the buffer was filled.
        let hasEnded = count < buffer.count
        if hasEnded || producedByteCount >= declaredByteCount {
            let excess = hasEnded ? 0 : try probe(source)
            guard excess == 0, producedByteCount == declaredByteCount else { throw .wrongSize }
            isComplete = true
        }
        return count
    }

    /// Fills `buffer` unless the entry ends before. libarchive returns less at the edges of holes; there it even
    /// returns 0 bytes once and then continues.
    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from source: TarSource
    ) throws(ArchiveError) -> Int {
        var (count, emptyCount) = (0, 0)
        while count < buffer.count, emptyCount < (isSparse ? 2 : 1) {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let stepCount = archive_read_data(source.handle.pointer, rest.baseAddress, rest.count)
            guard stepCount >= 0 else { throw source.failure() }
            count += stepCount
            emptyCount = stepCount == 0 ? emptyCount + 1 : 0
        }
        return count
    }

    private func probe(_ source: TarSource) throws(ArchiveError) -> Int {
        var byte: UInt8 = 0
        return try withUnsafeMutableBytes(of: &byte) { buffer throws(ArchiveError) in try fill(buffer, from: source) }
    }
}
