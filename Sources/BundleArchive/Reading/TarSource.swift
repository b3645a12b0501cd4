import CArchive

/// Entries of a tar archive, compressed or not.
final class TarSource: ArchiveSource {
    let handle: ReadHandle
    private let stream: TarStream

    init(file: ArchiveFile, format: ArchiveFormat, budget: ReadBudget) throws(ArchiveError) {
        stream = try TarStream(file: file, format: format, budget: budget)
        handle = try ReadHandle()
        try handle.check(archive_read_support_format_tar(handle.pointer))
        // The stream outlives the handle's last call: both belong to this object.
        let context = Unmanaged.passUnretained(stream).toOpaque()
        let status = archive_read_open(handle.pointer, context, nil, readTarStream, nil)
        if status != ARCHIVE_OK { throw stream.failure ?? Self.notTar(format) }
    }

    var consumedByteCount: Int64 { stream.consumedByteCount }

    func failure() -> ArchiveError {
        stream.failure ?? handle.failure()
    }

    /// POSIX ends a tar archive with two zero blocks. Without them it was cut between two entries; whatever follows them
    /// would be seen by some programs and not by others.
    func checkEnd(entryCount: Int) throws(ArchiveError) {
        try stream.drain()
        let end = archive_read_header_position(handle.pointer)
        if stream.nonzeroByteCount > end {
            throw ArchiveError(.damaged, "has data after its last entry", advice: ArchiveError.fetchAgain)
        }
        if stream.byteCount - end < 2 * Int64(TarHeader.byteCount) {
            throw ArchiveError(.truncated, "ends without its end mark", advice: ArchiveError.fetchAgain)
        }
    }

    private static func notTar(_ format: ArchiveFormat) -> ArchiveError {
        ArchiveError(
            .notAnArchive,
            "holds no tar archive\(format == .tar ? "" : " under its compression")",
            advice: "give a zip or tar archive"
        )
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
