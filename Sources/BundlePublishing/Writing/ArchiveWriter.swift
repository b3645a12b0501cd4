import BundleArchive
import BundleStore
import BundleTar
import CArchive

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes an archive of regular files. The same files in the same order always produce the same bytes, independent of
/// time, place and user: every entry has mode 0644, no owner, and no time (zip shows its earliest, 1980-01-01).
///
/// Not `Sendable`: use an instance from one thread at a time.
package final class ArchiveWriter {
    private static let chunkByteCount = 64 << 10

    private enum Output {
        /// libarchive, for all kinds of tar.
        case tar(WriteHandle)
        case zip(ZipWriter, ZipEncoder)
    }

    private let path: String
    private let output: Output
    private var isFinished = false

    /// Creates the file at `path`, or truncates it. Pass a temporary path, and rename the file after ``finish()``.
    ///
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unwritable` when the file can't be created.
    package init(path: String, format: ArchiveFormat) throws(ArchiveError) {
        self.path = path
        do throws(ArchiveError) {
            if format == .zip {
                output = .zip(try ZipWriter(path: path), ZipEncoder())
            } else {
                let handle = try WriteHandle()
                try Self.configure(handle, for: format)
                try handle.check(archive_write_open_filename(handle.pointer, path))
                output = .tar(handle)
            }
        } catch {
            throw error.located(at: path)
        }
    }

    deinit {
        // Otherwise freeing the handle would complete the archive.
        if case .tar(let handle) = output, !isFinished { archive_write_fail(handle.pointer) }
    }

    /// Adds a file whose bytes are in memory.
    ///
    /// - Parameters:
    ///   - name: The path in the archive, `/`-separated. It isn't checked.
    ///   - contents: The file's bytes.
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unwritable` when the disk is full or fails, or the format can't hold the name.
    package func add(name: String, contents: UnsafeRawBufferPointer) throws(ArchiveError) {
        var rest = contents[...]
        do {
            try add(name: name, byteCount: Int64(contents.count)) { buffer in
                let count = min(buffer.count, rest.count)
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
                rest = rest.dropFirst(count)
                return count
            }
        } catch let error as ArchiveError {
            throw error
        } catch {
            preconditionFailure("copying throws nothing")
        }
    }

    /// Adds a file whose bytes are generated.
    ///
    /// - Parameters:
    ///   - name: The path in the archive, `/`-separated. It isn't checked.
    ///   - byteCount: The number of bytes, which the archive declares before them; not negative.
    ///   - next: Fills the start of the buffer and returns the number of bytes, at most the buffer's `count`; 0 at the
    ///     end. Called until it has returned `byteCount` bytes in all.
    /// - Throws: What `next` throws; ``/BundleArchive/ArchiveError`` with code `unreadable` when it ends before `byteCount` bytes, and
    ///   `unwritable` when the disk is full or fails, or the format can't hold the name.
    package func add(
        name: String,
        byteCount: Int64,
        next: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws {
        try located(name) {
            switch output {
            case .zip(let writer, let encoder):
                var pieces = ZipPieces(byteCount: byteCount)
                while let piece = try pieces.next(next) {
                    try writer.append(try encoder.encode(piece), name: name, byteCount: byteCount)
                }
            case .tar(let handle): try add(name, byteCount, to: handle, next)
            }
        }
    }

    private func add(
        _ name: String,
        _ byteCount: Int64,
        to handle: WriteHandle,
        _ next: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws {
        try writeHeader(name: name, byteCount: byteCount, to: handle)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkByteCount, alignment: 16)
        defer { buffer.deallocate() }
        var rest = byteCount
        while rest > 0 {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(rest, Int64(buffer.count)))])
            let count = try next(room)
            guard count > 0 else { throw Self.shrunken }
            try write(UnsafeRawBufferPointer(rebasing: room[..<count]), to: handle)
            rest -= Int64(count)
        }
        try handle.check(archive_write_finish_entry(handle.pointer))
    }

    /// Completes the archive and closes its file without syncing it. No call may follow.
    ///
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unwritable` when the disk is full or fails.
    package func finish() throws(ArchiveError) {
        isFinished = true
        try located(nil) { () throws(ArchiveError) in
            switch output {
            case .zip(let writer, _): try writer.finish()
            case .tar(let handle): try handle.check(archive_write_close(handle.pointer))
            }
        }
    }

    private func writeHeader(name: String, byteCount: Int64, to handle: WriteHandle) throws(ArchiveError) {
        guard let entry = archive_entry_new2(handle.pointer) else { throw Self.shrunken }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname_utf8(entry, name)
        archive_entry_set_filetype(entry, UInt32(S_IFREG as mode_t))
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_size(entry, byteCount)
        archive_entry_set_mtime(entry, 0, 0)
        try handle.check(archive_write_header(handle.pointer, entry))
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to handle: WriteHandle) throws(ArchiveError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = UnsafeRawBufferPointer(rebasing: rest)
            let count = archive_write_data(handle.pointer, chunk.baseAddress, chunk.count)
            try handle.check(count)
            guard count > 0 else { throw Self.shrunken }
            rest = rest.dropFirst(count)
        }
    }

    private func located(_ name: String?, _ step: () throws(ArchiveError) -> Void) throws(ArchiveError) {
        do throws(ArchiveError) {
            try UTF8Locale.perform(step)
        } catch {
            throw error.concerning(name).located(at: path)
        }
    }

    private func located(_ name: String?, _ step: () throws -> Void) throws {
        do {
            try UTF8Locale.perform(step)
        } catch let error as ArchiveError {
            throw error.concerning(name).located(at: path)
        }
    }

    /// Reads once from a descriptor, again when a signal interrupts it.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unreadable`.
    package static func readUninterrupted(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Int {
        while true {
            let count = read(descriptor, into: buffer)
            if count >= 0 { return count }
            let number = errno
            if number == EINTR { continue }
            throw ArchiveError(
                .unreadable,
                "can't be read: \(String(cString: strerror(number)))",
                advice: "check the file and its permissions",
                cause: number
            )
        }
    }

    private static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #else
            Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    static var shrunken: ArchiveError {
        ArchiveError(
            .unreadable,
            "became shorter while it was packed",
            advice: "pack again while nothing changes the files"
        )
    }
}

extension ArchiveWriter {
    private static func configure(_ handle: WriteHandle, for format: ArchiveFormat) throws(ArchiveError) {
        let pointer = handle.pointer
        // Plain ustar headers where they suffice, pax headers where a name needs them.
        try handle.check(archive_write_set_format_pax_restricted(pointer))
        try handle.check(archive_write_set_bytes_in_last_block(pointer, 1))
        for option in options(for: format, handle) { try handle.check(option()) }
    }

    /// Strong compression in a reasonable time: an archive is packed once and downloaded often.
    private static func options(for format: ArchiveFormat, _ handle: WriteHandle) -> [() -> Int32] {
        let pointer = handle.pointer
        switch format {
        case .zip, .tar:
            return []
        case .tarGzip:
            return [
                { archive_write_add_filter_gzip(pointer) },
                { archive_write_set_filter_option(pointer, "gzip", "compression-level", "9") },
                { archive_write_set_filter_option(pointer, "gzip", "timestamp", nil) },
            ]
        case .tarXz:
            return [{ archive_write_add_filter_xz(pointer) }]
        case .tarZstandard:
            return [
                { archive_write_add_filter_zstd(pointer) },
                { archive_write_set_filter_option(pointer, "zstd", "compression-level", "19") },
            ]
        }
    }
}

/// libarchive's writer object, with its errors as ``/BundleArchive/ArchiveError``.
final class WriteHandle {
    let pointer: OpaquePointer

    init() throws(ArchiveError) {
        guard let pointer = archive_write_new() else {
            throw ArchiveError(.unwritable, "can't be created: out of memory", advice: "free some memory and try again")
        }
        self.pointer = pointer
    }

    deinit {
        archive_write_free(pointer)
    }

    /// Throws unless `status` is success.
    func check(_ status: Int) throws(ArchiveError) {
        guard status < 0 else { return }
        let detail = archive_error_string(pointer).map { ": " + Printable.text(String(cString: $0)) } ?? ""
        throw ArchiveError(
            .unwritable,
            "can't be written\(detail)",
            advice: "check the folder, its permissions and the free space",
            cause: archive_errno(pointer)
        )
    }

    /// Throws unless `status` is success.
    func check(_ status: Int32) throws(ArchiveError) {
        try check(Int(status))
    }
}
