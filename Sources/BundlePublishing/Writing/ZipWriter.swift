import BundleArchive
import BundleStore
import CZlib

/// Writes a zip whose entries have been compressed (APPNOTE 6.3.10): each has mode 0644, the time 1980-01-01, and, where its
/// name needs that, the flag for UTF-8.
///
/// Not `Sendable`: use an instance from one thread at a time.
package final class ZipWriter {
    private struct Entry {
        let name: [UInt8]
        let headerOffset: Int64
        let hasWideHeader: Bool
        let isDeflated: Bool
        var checksum: UInt32 = 0
        var byteCount: Int64 = 0
        var encodedByteCount: Int64 = 0
    }

    private let file: OutputFile
    private var directory: [UInt8] = []
    private var entryCount = 0
    /// The entry that isn't complete yet.
    private var entry: Entry?

    /// Creates the file at `path`, or truncates it.
    ///
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unwritable` when the file can't be created.
    package init(path: String) throws(ArchiveError) {
        file = try OutputFile(path: path)
    }

    /// Appends a piece of a file.
    ///
    /// - Parameters:
    ///   - output: The piece; those of one file follow each other.
    ///   - name: The file's path in the archive, `/`-separated. It isn't checked.
    ///   - byteCount: The length of the whole file in bytes.
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unwritable` when the disk is full or fails, or the name is longer than 65,535
    ///   bytes.
    package func append(_ output: ZipEncoder.Output, name: String, byteCount: Int64) throws(ArchiveError) {
        var entry = if let begun = self.entry { begun } else { try begin(output, Array(name.utf8), byteCount) }
        entry.checksum = UInt32(
            truncatingIfNeeded: crc32_combine(uLong(entry.checksum), uLong(output.checksum), output.byteCount)
        )
        entry.byteCount += Int64(output.byteCount)
        entry.encodedByteCount += Int64(output.bytes.count)
        // The header of a whole file is complete before its bytes; that of others is corrected after them.
        if output.isFirst { try file.append(Self.localHeader(entry)) }
        try file.append(output.bytes)
        self.entry = output.isLast ? nil : entry
        guard output.isLast else { return }
        if !output.isFirst { try file.overwrite(Self.localHeader(entry), at: entry.headerOffset) }
        directory += Self.directoryRecord(entry)
        entryCount += 1
    }

    /// Writes the directory, and closes the file without syncing it. No call may follow.
    ///
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unwritable` when the disk is full or fails.
    package func finish() throws(ArchiveError) {
        let start = file.position
        try file.append(directory)
        try file.append(Self.end(entryCount: entryCount, start: start, byteCount: Int64(directory.count)))
        try file.close()
    }

    private func begin(_ output: ZipEncoder.Output, _ name: [UInt8], _ byteCount: Int64) throws(ArchiveError) -> Entry {
        guard name.count <= Int(UInt16.max) else {
            throw ArchiveError(.unwritable, "has a name that is too long for a zip", advice: "shorten it")
        }
        // What can't be compressed becomes longer by 5 bytes in 16 KiB at most (RFC 1951, section 3.2.4).
        let isWide = byteCount > Int64(UInt32.max) - Int64(UInt32.max) / 1_000
        return Entry(
            name: name,
            headerOffset: file.position,
            hasWideHeader: isWide,
            isDeflated: output.isDeflated
        )
    }
}

// MARK: - The records

extension ZipWriter {
    private static let wideVersion: UInt16 = 45
    private static let unix: UInt16 = 3 << 8
    /// 1980-01-01 as MS-DOS writes it.
    private static let date: UInt16 = 0x0021

    /// Section 4.3.7.
    private static func localHeader(_ entry: Entry) -> [UInt8] {
        var header: [UInt8] = []
        header.appendLittleEndian(0x0403_4B50 as UInt32)
        header.append(contentsOf: common(entry, isWide: entry.hasWideHeader))
        let narrow: (Int64) -> UInt32 = { entry.hasWideHeader ? .max : UInt32(truncatingIfNeeded: $0) }
        header.appendLittleEndian(narrow(entry.encodedByteCount))
        header.appendLittleEndian(narrow(entry.byteCount))
        header.appendLittleEndian(UInt16(entry.name.count))
        let wide = wideField(entry.hasWideHeader ? [entry.byteCount, entry.encodedByteCount] : [])
        header.appendLittleEndian(UInt16(wide.count))
        return header + entry.name + wide
    }

    /// Section 4.3.12.
    private static func directoryRecord(_ entry: Entry) -> [UInt8] {
        let values = [entry.byteCount, entry.encodedByteCount, entry.headerOffset]
        let wide = wideField(values.filter { $0 >= Int64(UInt32.max) })
        let isWide = entry.hasWideHeader || !wide.isEmpty
        var record: [UInt8] = []
        record.appendLittleEndian(0x0201_4B50 as UInt32)
        record.appendLittleEndian(unix | (isWide ? wideVersion : 20))
        record.append(contentsOf: common(entry, isWide: isWide))
        record.appendLittleEndian(UInt32(clamping: entry.encodedByteCount))
        record.appendLittleEndian(UInt32(clamping: entry.byteCount))
        record.appendLittleEndian(UInt16(entry.name.count))
        record.appendLittleEndian(UInt16(wide.count))
        // No comment, the first disk, no internal attributes; a regular file of mode 0644.
        record.append(contentsOf: [UInt8](repeating: 0, count: 6))
        record.appendLittleEndian(0o100644 << 16 as UInt32)
        record.appendLittleEndian(UInt32(clamping: entry.headerOffset))
        return record + entry.name + wide
    }

    /// The version that is needed, the flags, the method, time and date, and the checksum.
    private static func common(_ entry: Entry, isWide: Bool) -> [UInt8] {
        var fields: [UInt8] = []
        fields.appendLittleEndian(isWide ? wideVersion : 20)
        fields.appendLittleEndian(entry.name.allSatisfy { $0 < 0x80 } ? 0 : 1 << 11 as UInt16)
        fields.appendLittleEndian(entry.isDeflated ? 8 : 0 as UInt16)
        fields.appendLittleEndian(0 as UInt16)
        fields.appendLittleEndian(date)
        fields.appendLittleEndian(entry.checksum)
        return fields
    }

    /// Section 4.5.3.
    private static func wideField(_ values: [Int64]) -> [UInt8] {
        guard !values.isEmpty else { return [] }
        var field: [UInt8] = []
        field.appendLittleEndian(1 as UInt16)
        field.appendLittleEndian(UInt16(8 * values.count))
        for value in values { field.appendLittleEndian(UInt64(value)) }
        return field
    }

    /// Sections 4.3.14 to 4.3.16.
    private static func end(entryCount: Int, start: Int64, byteCount: Int64) -> [UInt8] {
        var end: [UInt8] = []
        if entryCount >= Int(UInt16.max) || start >= Int64(UInt32.max) || byteCount >= Int64(UInt32.max) {
            end.appendLittleEndian(0x0606_4B50 as UInt32)
            end.appendLittleEndian(44 as UInt64)
            end.appendLittleEndian(unix | wideVersion)
            end.appendLittleEndian(wideVersion)
            end.appendLittleEndian(0 as UInt64)
            for value in [Int64(entryCount), Int64(entryCount), byteCount, start] { end.appendLittleEndian(value) }
            end.appendLittleEndian(0x0706_4B50 as UInt32)
            end.appendLittleEndian(0 as UInt32)
            end.appendLittleEndian(start + byteCount)
            end.appendLittleEndian(1 as UInt32)
        }
        end.appendLittleEndian(0x0605_4B50 as UInt32)
        end.appendLittleEndian(0 as UInt32)
        end.appendLittleEndian(UInt16(clamping: entryCount))
        end.appendLittleEndian(UInt16(clamping: entryCount))
        end.appendLittleEndian(UInt32(clamping: byteCount))
        end.appendLittleEndian(UInt32(clamping: start))
        end.appendLittleEndian(0 as UInt16)
        return end
    }
}
