import SystemPackage

/// An immutable file of concatenated contents, mapped into memory.
final class Segment: Sendable {
    let identifier: FileIdentifier
    private let path: FilePath
    private let file: MappedFile

    /// Checks the segment's header and size, then maps it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` or `newerFormat`; `Errno` when the file can't be
    ///   opened or read.
    init(_ identifier: FileIdentifier, in layout: StoreLayout) throws {
        self.identifier = identifier
        path = layout.segment(identifier)
        file = try MappedFile(path, with: SegmentFormat.fileHeader)
    }

    /// The size of the file in bytes.
    var byteCount: Int { file.bytes.count }

    /// The content at `range` of the file, or nil when the range lies outside the contents.
    func slice(_ range: Range<Int>) -> ByteSlice? {
        guard range.lowerBound >= SegmentFormat.headerByteCount else { return nil }
        return ByteSlice(of: file, range: range)
    }

    /// Whether a read through the mapping has failed.
    var hasFaulted: Bool { file.hasFaulted }

    /// Whether the file may have changed since it was opened.
    var hasChanged: Bool { file.hasChanged }

    /// Releases the memory made resident by reading contents.
    func dropResidentPages() { file.dropResidentPages() }

    /// Hashes the content at `range`, which must lie inside the file. Reads the file instead of the mapping: when the
    /// disk fails, reading a mapping would end the process.
    ///
    /// - Throws: `Errno` when the file can't be read or has become shorter.
    func digest(of range: Range<Int>) throws -> Digest {
        guard let descriptor = try reopened() else {
            let digest = Digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[range]))
            if file.hasFaulted { throw Errno.ioError }
            return digest
        }
        return try descriptor.closeAfter { try Digest(of: descriptor, in: range) }
    }

    /// The file opened again, or nil when that tells nothing about the mapping, which is then trusted: the file has
    /// been pruned, its name belongs to another file, or the process has too many open files.
    private func reopened() throws -> FileDescriptor? {
        do {
            let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            if try MappedFile.Identity(descriptor.stat()) == file.identity { return descriptor }
            try descriptor.close()
            return nil
        } catch Errno.noSuchFileOrDirectory, Errno.tooManyOpenFiles, Errno.tooManyOpenFilesInSystem {
            return nil
        }
    }
}

/// The location of a content: an extent of a segment file, with its offset from the start of the file.
struct ContentLocation: Hashable, Sendable {
    let segment: FileIdentifier
    let offset: UInt64
    let byteCount: UInt64

    /// The extent as a range in a file of `fileByteCount` bytes, or nil when it lies outside the contents.
    func range(within fileByteCount: Int) -> Range<Int>? {
        SegmentFormat.range(at: offset, of: byteCount, within: fileByteCount)
    }
}

/// The layout of a segment file: a header, then the contents one after another; long contents begin on a page boundary.
/// StoreFormat.md specifies the bytes.
enum SegmentFormat {
    static let headerByteCount = 64
    /// Contents of at least this length begin on a page boundary, from where the system sends them with less work.
    static let longContentByteCount = 1 << 16
    static let pageByteCount = 4_096
    static let fileHeader = StoreFileHeader(
        magic: Array("OBSEGMT\n".utf8),
        version: 1,
        headerByteCount: headerByteCount
    )

    static func header(fileByteCount: UInt64) -> [UInt8] {
        let fields = fileHeader.fields(fileByteCount: fileByteCount)
        return fields + repeatElement(0, count: headerByteCount - fields.count)
    }

    /// The range of a content in a file of `fileByteCount` bytes, or nil when it lies outside the contents.
    static func range(at offset: UInt64, of byteCount: UInt64, within fileByteCount: Int) -> Range<Int>? {
        let (end, overflow) = offset.addingReportingOverflow(byteCount)
        guard !overflow, end <= UInt64(clamping: fileByteCount), offset >= headerByteCount else { return nil }
        return Int(offset)..<Int(end)
    }

    /// The number of padding bytes between `end`, the end of the preceding content, and the content in `range`, so that
    /// it begins on a page boundary.
    static func paddingByteCount(after end: Int, before range: Range<Int>) -> Int {
        guard range.count >= longContentByteCount, range.lowerBound.isMultiple(of: pageByteCount) else { return 0 }
        return min(max(range.lowerBound - end, 0), pageByteCount - 1)
    }
}
