import CArchive
import Foundation

/// A tar archive's bytes after decompression. It stands between two readers of libarchive, the one that decompresses and
/// the one that reads tar, because it must see every byte: libarchive neither checks gzip's checksum nor minds that a
/// tar archive lacks its end.
final class TarStream {
    private let file: ArchiveFile
    private let format: ArchiveFormat
    private let budget: ReadBudget
    private let decoder: ReadHandle

    /// The number of bytes so far.
    private(set) var byteCount: Int64 = 0
    /// The number of bytes up to and with the last one that isn't zero.
    private(set) var nonzeroByteCount: Int64 = 0
    /// Why the stream broke, if it did.
    private(set) var failure: ArchiveError?

    private var checksum = CRC32()

    init(file: ArchiveFile, format: ArchiveFormat, budget: ReadBudget) throws(ArchiveError) {
        self.file = file
        self.format = format
        self.budget = budget
        decoder = try ReadHandle()
        // A fixed chain of one filter: left to choose, libarchive would undo up to 25 nested layers while opening.
        try decoder.check(archive_read_append_filter(decoder.pointer, format.filterCode))
        try decoder.check(archive_read_set_format(decoder.pointer, ARCHIVE_FORMAT_RAW))
        try decoder.check(archive_read_open_fd(decoder.pointer, file.descriptor, ArchiveReader.blockByteCount))
        var entry: OpaquePointer?
        try decoder.check(archive_read_next_header(decoder.pointer, &entry))
    }

    /// The number of bytes of the archive's file that have been read.
    var consumedByteCount: Int64 { decoder.consumedByteCount }

    /// The next bytes, valid until the next call; none at the end or when the stream broke, which sets ``failure``.
    func next() -> UnsafeRawBufferPointer {
        guard failure == nil else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        do throws(ArchiveError) {
            return try read()
        } catch {
            failure = error
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// Reads to the end of the file and compares gzip's trailer.
    func drain() throws(ArchiveError) {
        while next().count > 0 {}
        if let failure { throw failure }
        if format == .tarGzip { try checkGzipTrailer() }
    }

    private func read() throws(ArchiveError) -> UnsafeRawBufferPointer {
        var start: UnsafeRawPointer?
        var count = 0
        var offset: Int64 = 0
        try budget.checkTime()
        let status = archive_read_data_block(decoder.pointer, &start, &count, &offset)
        if status == ARCHIVE_EOF { return UnsafeRawBufferPointer(start: nil, count: 0) }
        guard status == ARCHIVE_OK else { throw decodingFailure() }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        if let last = bytes.lastIndex(where: { $0 != 0 }) { nonzeroByteCount = byteCount + Int64(last) + 1 }
        byteCount += Int64(count)
        try budget.checkRatio(producedByteCount: byteCount)
        if format == .tarGzip { checksum.update(bytes) }
        return bytes
    }

    private func decodingFailure() -> ArchiveError {
        // A gzip member without its trailer is the one failure for which libarchive has no text.
        guard archive_error_string(decoder.pointer) != nil else {
            return ArchiveError(.truncated, "ends too early", advice: ArchiveError.fetchAgain)
        }
        return decoder.failure()
    }

    /// RFC 1952, section 2.3.1: a member ends with the CRC-32 and the size, modulo 2³², of what it holds. Where the size
    /// isn't that of the whole there are several members, whose borders libarchive doesn't tell.
    private func checkGzipTrailer() throws(ArchiveError) {
        let isContradicted = try file.withBytes(at: max(0, file.byteCount - 8), count: 8) { trailer in
            trailer.littleEndian(UInt32.self, at: 4) == UInt32(truncatingIfNeeded: byteCount)
                && trailer.littleEndian(UInt32.self, at: 0) != checksum.value
        }
        guard isContradicted else { return }
        throw ArchiveError(.damaged, "is damaged (its gzip checksum doesn't match)", advice: ArchiveError.fetchAgain)
    }
}

extension ArchiveFormat {
    /// libarchive's code of the one compression layer.
    fileprivate var filterCode: Int32 {
        switch self {
        case .zip, .tar: ARCHIVE_FILTER_NONE
        case .tarGzip: ARCHIVE_FILTER_GZIP
        case .tarXz: ARCHIVE_FILTER_XZ
        case .tarZstandard: ARCHIVE_FILTER_ZSTD
        }
    }
}
