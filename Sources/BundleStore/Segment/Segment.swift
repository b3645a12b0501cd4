import SystemPackage

/// An immutable file of concatenated contents, mapped into memory.
final class Segment: Sendable {
    let identifier: FileIdentifier
    private let path: FilePath
    private let file: MappedFile

    /// Maps the segment and checks its header and size, because a mapped file that is shorter than it says would end the
    /// process when it is read.
    ///
    /// - Throws: ``BundleError`` with code `storeDamaged`; `Errno` when the file can't be opened.
    init(_ identifier: FileIdentifier, in layout: StoreLayout) throws {
        self.identifier = identifier
        path = layout.segment(identifier)
        file = try MappedFile(path)
        let header = StoreFileHeader(file.bytes, magic: SegmentFormat.magic)
        try header.check(version: SegmentFormat.version, headerByteCount: SegmentFormat.headerByteCount, path: path)
    }

    /// The size of the file in bytes.
    var byteCount: Int { file.bytes.count }

    /// The content at `range` of the file, or nil when that isn't inside the contents.
    func slice(_ range: Range<Int>) -> ByteSlice? {
        guard range.lowerBound >= SegmentFormat.headerByteCount else { return nil }
        return ByteSlice(of: file, range: range)
    }

    /// Gives back the memory that looking at contents took.
    func dropResidentPages() { file.dropResidentPages() }

    /// Hashes the content at `range`, which must be inside the file. Reads the file and not the mapping: where the disk
    /// fails, reading a mapping would end the process.
    ///
    /// - Throws: `Errno` when the file can't be read, or is shorter than it was.
    func digest(of range: Range<Int>) throws -> Digest {
        guard let descriptor = try reopened() else {
            return Digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[range]))
        }
        return try descriptor.closeAfter { try Digest(of: descriptor, in: range) }
    }

    /// The file once more, or nil when that says nothing of the mapping, which is good for itself then: the file has been
    /// pruned, another one has its name, or the process has too many open.
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
