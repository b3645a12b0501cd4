import CArchive
import Foundation

/// Entries of a tar archive, compressed or not.
final class TarSource: ArchiveSource {
    let handle: ReadHandle
    private let stream: TarStream
    private let budget: ReadBudget
    private let charset: ArchiveCharset?
    private var contents = TarEntryContents.none

    /// - Parameter charset: The encoding of names outside pax headers, which are UTF-8; nil for UTF-8.
    init(
        file: ArchiveFile,
        format: ArchiveFormat,
        budget: ReadBudget,
        charset: ArchiveCharset?
    ) throws(ArchiveError) {
        self.budget = budget
        self.charset = charset
        stream = try TarStream(file: file, format: format, budget: budget, keepsNames: charset != nil)
        handle = try ReadHandle()
        try handle.check(archive_read_support_format_tar(handle.pointer))
        if let charset {
            // Names are converted to the encoding of the locale that is set at this moment.
            let status = UTF8Locale.perform {
                archive_read_set_format_option(handle.pointer, "tar", "hdrcharset", charset.iconvName)
            }
            try handle.check(status)
        }
        // The stream is used until the handle's last call: both belong to this object.
        let context = Unmanaged.passUnretained(stream).toOpaque()
        let status = archive_read_open(handle.pointer, context, nil, readTarStream, nil)
        if status != ARCHIVE_OK { throw stream.failure ?? .notTar(compressed: format != .tar) }
    }

    var consumedByteCount: Int64 { stream.consumedByteCount }

    func next() throws(ArchiveError) -> ArchiveEntry? {
        contents = .none
        return try UTF8Locale.perform { () throws(ArchiveError) in try readHeader() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard !contents.isComplete, !buffer.isEmpty else { return 0 }
        try budget.checkTime()
        return try contents.read(into: buffer, from: self)
    }

    func deferredContent() -> DeferredContent? { nil }

    /// The error of the last call.
    func failure() -> ArchiveError {
        stream.failure ?? handle.failure()
    }

    private func readHeader() throws(ArchiveError) -> ArchiveEntry? {
        var pointer: OpaquePointer?
        // If a name can't be converted, libarchive takes a leftover ENOMEM for its own.
        errno = 0
        let status = archive_read_next_header(handle.pointer, &pointer)
        if status == ARCHIVE_EOF {
            try stream.finish()
            return nil
        }
        guard let pointer, status == ARCHIVE_OK || status == ARCHIVE_WARN else { throw failure() }
        let rawName = stream.takeName()
        let reader = TarEntryReader(pointer: pointer, charset: charset)
        do throws(ArchiveError) {
            let entry = try reader.entry()
            guard status == ARCHIVE_OK else { throw warning() }
            contents = TarEntryContents(of: entry, isSparse: archive_entry_sparse_count(pointer) > 0)
            return entry
        } catch {
            throw error.concerning(reader.displayName ?? rawName)
        }
    }

    /// The meaning of a header's warning.
    private func warning() -> ArchiveError {
        let text = archive_error_string(handle.pointer).map { String(cString: $0) } ?? ""
        let isName = text.contains("can't be converted") || text.contains("cannot be converted")
        return isName ? .nameNot(charset) : failure()
    }
}

private func readTarStream(
    _: OpaquePointer?,
    context: UnsafeMutableRawPointer?,
    start: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int {
    guard let context, let start else { return Int(ARCHIVE_FATAL) }
    let stream = Unmanaged<TarStream>.fromOpaque(context).takeUnretainedValue()
    let bytes = stream.next()
    start.pointee = bytes.baseAddress
    return stream.failure == nil ? bytes.count : Int(ARCHIVE_FATAL)
}
