import BundleArchive
import BundleModel
import CArchive
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ArchiveFormats {
    /// Zip, and tar with at most one layer of compression: gzip, xz, or Zstandard. Tar is read by libarchive and liblzma.
    public static let zipAndTar = ArchiveFormats { file, format, budget, charset throws(ArchiveError) in
        try TarSource(file: file, format: format, budget: budget, charset: charset)
    }
}

extension ArchiveFormat {
    /// A decompressor for the format; nil when it has no compression.
    func makeDecompressor() throws(ArchiveError) -> (any Decompressor)? {
        switch self {
        case .zip, .tar: nil
        case .tarGzip: try GzipDecompressor()
        case .tarXz: try XzDecompressor()
        case .tarZstandard: try ZstandardDecompressor()
        }
    }
}

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

/// A tar archive's bytes after decompression. It is placed between the file and libarchive's tar reader because it must
/// see every byte up to the end of the file: libarchive accepts a tar archive without an end, and one in which other
/// programs would find other files.
final class TarStream {
    private let input: FileStream
    private let budget: ReadBudget
    private let decompressor: (any Decompressor)?
    /// The buffer for the decompressor's output.
    private let output: UnsafeMutableRawBufferPointer

    private var byteCount: Int64 = 0
    private var validator: TarValidator
    /// Why the stream failed, if it did.
    private(set) var failure: ArchiveError?

    /// - Parameter keepsNames: Whether ``takeName()`` will be called for each entry.
    init(file: ArchiveFile, format: ArchiveFormat, budget: ReadBudget, keepsNames: Bool) throws(ArchiveError) {
        validator = TarValidator(keepsNames: keepsNames)
        input = FileStream(file)
        self.budget = budget
        decompressor = try format.makeDecompressor()
        output = .allocate(byteCount: decompressor == nil ? 0 : ArchiveReader.blockByteCount, alignment: 16)
    }

    deinit {
        output.deallocate()
    }

    /// The number of bytes of the archive's file that have been read.
    var consumedByteCount: Int64 { input.usedByteCount }

    /// The next bytes, valid until the next call; none at the end or after a failure, which sets ``failure``.
    func next() -> UnsafeRawBufferPointer {
        guard failure == nil else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        do throws(ArchiveError) {
            return try checked(read())
        } catch {
            failure = error.concerningWhole()
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// The name in the header of libarchive's current entry; nil when names aren't kept.
    func takeName() -> String? { validator.takeName() }

    /// Reads to the end of the file, so that the last checksum is verified too, and checks that the archive may end
    /// there.
    func finish() throws(ArchiveError) {
        while next().count > 0 {}
        if let failure { throw failure }
        try validator.checkEnd()
    }

    private func read() throws(ArchiveError) -> UnsafeRawBufferPointer {
        try budget.checkTime()
        if let decompressor {
            return UnsafeRawBufferPointer(rebasing: output[..<(try decompressor.read(from: input, into: output))])
        }
        guard try input.fill() else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let bytes = input.unused
        input.use(bytes.count)
        return bytes
    }

    private func checked(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> UnsafeRawBufferPointer {
        byteCount += Int64(bytes.count)
        try budget.checkRatio(producedByteCount: byteCount)
        try validator.check(bytes)
        return bytes
    }
}

/// libarchive's reader object, with its errors as ``ArchiveError``.
final class ReadHandle {
    let pointer: OpaquePointer

    init() throws(ArchiveError) {
        guard let pointer = archive_read_new() else {
            throw ArchiveError(.unreadable, "can't be opened: out of memory", advice: "free some memory and try again")
        }
        self.pointer = pointer
    }

    deinit {
        archive_read_free(pointer)
    }

    /// Throws unless `status` is success. A warning is a failure too: libarchive only warns about a wrong checksum.
    func check(_ status: Int32) throws(ArchiveError) {
        if status != ARCHIVE_OK { throw failure() }
    }

    /// The error of the last call.
    func failure() -> ArchiveError {
        let text = archive_error_string(pointer).map { String(cString: $0) } ?? ""
        let detail =
            text.isEmpty ? "" : " (\(Printable.text(text.trimmingCharacters(in: .whitespacesAndNewlines))))"
        switch text {
        case _ where text.contains("truncated") || text.contains("Truncated"):
            return ArchiveError(.truncated, "ends too early\(detail)", advice: ArchiveError.fetchAgain)
        case _ where text.contains("Unsupported") || text.contains("not supported"):
            return ArchiveError(
                .unsupportedFormat,
                "uses a feature that isn't supported\(detail)",
                advice: "repack it with common settings"
            )
        case _ where text.hasPrefix("Error reading"):
            let number = archive_errno(pointer)
            return ArchiveError(.unreadable, "can't be read\(detail)", advice: "check the disk", cause: number)
        default:
            return ArchiveError(.damaged, "is damaged\(detail)", advice: ArchiveError.fetchAgain)
        }
    }
}

/// A locale with UTF-8 as its character encoding. A Swift program starts in locale “C”, in which libarchive returns nil
/// for every name outside ASCII.
package enum UTF8Locale {
    // A locale object is immutable, and this one is never freed.
    private nonisolated(unsafe) static let locale = make("C.UTF-8") ?? make("en_US.UTF-8")

    private static func make(_ name: String) -> locale_t? {
        newlocale(LC_CTYPE_MASK, name, nil)
    }

    /// Runs `body` in this locale. The locale applies to the calling thread, so `body` must not suspend.
    package static func perform<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
    {
        let previous = uselocale(locale)
        defer { uselocale(previous) }
        return try body()
    }
}
