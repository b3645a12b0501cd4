import BundleArchive
import BundleStore
import Foundation

/// A file of a folder, opened to be packed.
///
/// Not thread-safe.
final class PackedFile {
    let file: FolderContents.File
    private let handle: FileHandle?
    private var rest: ArraySlice<UInt8>

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when it can't be opened.
    init(_ file: FolderContents.File) throws(BundleError) {
        self.file = file
        rest = file.content?[...] ?? []
        handle = file.content == nil ? FileHandle(forReadingAtPath: file.location) : nil
        guard file.content != nil || handle != nil else {
            throw BundleError(
                .invalidArchive,
                "\(Printable.line(file.location)) can't be read; check its permissions"
            )
        }
    }

    deinit {
        try? handle?.close()
    }

    /// Reads the next bytes into the start of the buffer; returns their number, 0 at the end.
    ///
    /// - Throws: ``ArchiveError`` with code `unreadable` when the disk fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        if let handle { return try ArchiveWriter.readUninterrupted(handle.fileDescriptor, into: buffer) }
        let part = rest.prefix(buffer.count)
        buffer.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
    }
}
