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
