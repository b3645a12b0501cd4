/// Reads an untrusted archive of one of ``ArchiveFormats``, entry by entry, in one pass and constant memory.
///
/// The format is recognised by the file's bytes, never by its name, and only that one format under at most one layer of
/// compression is read. Declared values are verified: wrong checksums and sizes, missing ends, encryption, and
/// everything over ``ArchiveLimits`` are refused. So is a tar under xz or Zstandard with a window over 16 MiB, except
/// one of up to 64 MiB (`xz -9`) as long as the output doesn't exceed 16 MiB. Names and links are returned as they are;
/// the caller decides which of them may be used.
///
/// The bytes of an archive are only verified when ``nextEntry()`` has returned nil: keep nothing permanently before
/// that. After an error every call throws the same error again.
///
/// Not `Sendable`: use an instance from one thread at a time. Other instances may be used on other threads meanwhile.
package final class ArchiveReader {
    /// The number of bytes that are read from the file at a time.
    package static let blockByteCount = 256 << 10

    private enum State {
        case reading
        case ended
        case failed(ArchiveError)
    }

    /// The archive's format. For tar under compression it is certain only after initialisation.
    package let format: ArchiveFormat
    /// The size of the archive's file in bytes.
    package let archiveByteCount: Int64

    private let path: String
    private let source: any ArchiveSource
    private let budget: ReadBudget
    private var state = State.reading
    private var entryName: String?

    /// Opens the archive at `path` and recognises its format.
    ///
    /// - Parameters:
    ///   - path: The archive's path.
    ///   - formats: The formats that are read.
    ///   - limits: How much the archive may ask of the machine.
    ///   - charset: The encoding of names and link targets that the archive doesn't mark as UTF-8; nil when they must
    ///     be UTF-8.
    /// - Throws: ``ArchiveError`` with code `unreadable` when the path can't be opened or isn't a regular file;
    ///   `notAnArchive` for an empty file, text, or unknown bytes; `unsupportedFormat` for a format that isn't among
    ///   `formats`, and when the system can't convert `charset`; and for a zip, whose end is checked here, `truncated`, `damaged`, or
    ///   `limitExceeded` for the number of entries.
    package init(
        path: String,
        formats: ArchiveFormats = .zip,
        limits: ArchiveLimits = .init(),
        charset: ArchiveCharset? = nil
    ) throws(ArchiveError) {
        self.path = path
        do throws(ArchiveError) {
            let file = try ArchiveFile(path: path)
            archiveByteCount = file.byteCount
            budget = ReadBudget(limits, archiveByteCount: file.byteCount)
            format = try Self.format(of: file, among: formats)
            source = try formats.source(of: file, format, budget, charset)
        } catch {
            throw error.located(at: path)
        }
    }

    /// The number of bytes of the archive's file that have been read so far, at most ``archiveByteCount``; for
    /// progress.
    package var bytesConsumed: Int64 {
        min(source.consumedByteCount, archiveByteCount)
    }

    /// Checks that ``ArchiveLimits/maximumDuration`` hasn't been exceeded, for work on data that was read.
    ///
    /// - Throws: ``ArchiveError`` with code `limitExceeded`.
    package func checkTime() throws(ArchiveError) {
        do throws(ArchiveError) {
            try budget.checkTime()
        } catch {
            throw error.located(at: path)
        }
    }

    /// Advances to the next entry; the rest of the current one is skipped without being verified.
    ///
    /// - Returns: The entry, or nil after the archive's proper end; nil at once for an archive without entries.
    /// - Throws: ``ArchiveError`` with code `truncated`, `damaged`, `encrypted`, `nameNotUTF8`, `unsupportedFormat`,
    ///   `limitExceeded`, or `unreadable` when the disk fails.
    package func nextEntry() throws(ArchiveError) -> ArchiveEntry? {
        entryName = nil
        return try guarded { () throws(ArchiveError) in
            try budget.checkTime()
            guard let entry = try source.next() else { return nil }
            entryName = entry.name
            try budget.checkName(of: entry)
            try budget.checkTarget(of: entry)
            try budget.charge(entry)
            if entry.kind == .file { try budget.chargeFile(byteCount: entry.byteCount) }
            return entry
        }
    }

    /// Reads the current entry's next bytes.
    ///
    /// - Parameter buffer: Filled from its start; completely, unless the entry ends before.
    /// - Returns: The number of bytes read; 0 when the entry has been read, isn't a file, or `buffer` is empty. The
    ///   entry's size and checksum have been verified when its last byte is returned.
    /// - Throws: ``ArchiveError`` with code `truncated`, `damaged`, `encrypted`, `unsupportedFormat`, `limitExceeded`, or
    ///   `unreadable` when the disk fails.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        try guarded { () throws(ArchiveError) in try source.read(into: buffer) } ?? 0
    }

    /// The current entry's content for decoding later, on any thread. The entry then counts as read, and
    /// ``read(into:)`` returns no bytes of it.
    ///
    /// - Returns: Nil unless the entry is a file of a zip of which nothing has been read.
    package func deferredContent() -> DeferredContent? {
        guard case .reading = state else { return nil }
        return source.deferredContent()
    }

    /// Runs one step and records its end: nil is the archive's end, and an error is thrown again by every later step.
    private func guarded<Result>(
        _ step: () throws(ArchiveError) -> Result?
    ) throws(ArchiveError) -> Result? {
        switch state {
        case .failed(let error): throw error
        case .ended: return nil
        case .reading: break
        }
        do throws(ArchiveError) {
            let result = try step()
            if result == nil { state = .ended }
            return result
        } catch {
            let located = error.concerning(entryName).located(at: path)
            state = .failed(located)
            throw located
        }
    }
}

extension ArchiveReader {
    private static func format(
        of file: ArchiveFile,
        among formats: ArchiveFormats
    ) throws(ArchiveError) -> ArchiveFormat {
        let advice = formats.advice
        switch ArchiveSignature(of: try file.bytes(at: 0, count: ArchiveSignature.byteCount)) {
        case .supported(let format):
            return format
        case .foreign(let name):
            throw ArchiveError(.unsupportedFormat, "is \(name), which isn't supported", advice: advice)
        case .text(let kind):
            throw ArchiveError(
                .notAnArchive,
                "isn't an archive but \(kind)",
                advice: "its download probably got an error message instead; check the link and download it again"
            )
        case .empty:
            throw ArchiveError(.notAnArchive, "is an empty file", advice: ArchiveError.fetchAgain)
        case .unknown:
            throw ArchiveError(.notAnArchive, "isn't an archive, or its start is damaged", advice: advice)
        }
    }
}

/// The header of one entry of an archive. It hasn't been checked against a path policy: the name may be absolute,
/// contain `..`, or have occurred before.
///
/// A value type; safe to share between threads.
package struct ArchiveEntry: Hashable, Sendable {
    /// The name in the archive, without the slashes that end a folder's name. It is valid UTF-8, in any Unicode
    /// normalisation form. Compare its `utf8`, because `==` on strings also treats canonically equivalent names as
    /// equal.
    package let name: String
    /// File, folder, link or special.
    package let kind: ArchiveEntryKind
    /// The file's length in bytes as declared in the archive; 0 for everything but files.
    package let byteCount: Int64

    /// Creates an entry's header.
    package init(name: String, kind: ArchiveEntryKind, byteCount: Int64) {
        self.name = name
        self.kind = kind
        self.byteCount = byteCount
    }
}

/// The kind of an archive's entry.
package enum ArchiveEntryKind: Hashable, Sendable {
    /// A regular file, whose bytes ``ArchiveReader/read(into:)`` returns.
    case file
    /// A folder.
    case directory
    /// A symbolic link to `target`, exactly as in the archive; it may point anywhere.
    case symbolicLink(target: String)
    /// A second name for the entry `target`, exactly as in the archive.
    case hardLink(target: String)
    /// An entry that only makes sense on a running system, by its name: “character device”, “block device”, “FIFO”,
    /// “socket”, or “special file of unknown type”.
    case special(String)
}

/// A source of entries: a reader of exactly one format.
package protocol ArchiveSource: AnyObject {
    /// The number of bytes of the archive's file that have been read.
    var consumedByteCount: Int64 { get }
    /// Advances to the next entry. Returns nil after the archive's proper end, with all of its bytes accounted for.
    func next() throws(ArchiveError) -> ArchiveEntry?
    /// Fills `buffer` with the current entry's next bytes, completely unless the entry ends before. The entry has been
    /// verified when its last byte is returned.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
    /// The current entry's content for decoding elsewhere, if it is a file of which nothing has been read and the
    /// format allows it. Its bytes are then not read here.
    func deferredContent() -> DeferredContent?
}
