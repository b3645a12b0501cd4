import BundleArchive
import BundleStore
import Foundation

/// A file of a folder, opened to be packed.
///
/// Not thread-safe.
final class PackedFile {
    let file: FolderContents.File
    private let handle: FileHandle?
    private var storedByteCount: Int64
    private var end: ArraySlice<UInt8>

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when it can't be opened.
    init(_ file: FolderContents.File) throws(BundleError) {
        self.file = file
        storedByteCount = file.storedByteCount
        end = file.end[...]
        handle = file.location.flatMap { FileHandle(forReadingAtPath: $0) }
        guard handle != nil || file.location == nil else {
            throw BundleError(
                .invalidArchive,
                "\(Printable.line(file.location ?? file.path.string)) can't be read; check its permissions"
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
        if let handle, storedByteCount > 0 {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: storedByteCount)))
            let count = try ArchiveWriter.readUninterrupted(handle.fileDescriptor, into: room)
            storedByteCount -= Int64(count)
            return count
        }
        let part = end.prefix(buffer.count)
        buffer.copyBytes(from: part)
        end = end.dropFirst(part.count)
        return part.count
    }
}
