import BundleArchive
import BundleStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is written from its start to its end, and corrected where lengths become known later.
///
/// Not thread-safe.
final class OutputFile {
    private static let capacity = 256 << 10

    private var descriptor: Int32
    private var buffer: [UInt8] = []
    private var writtenByteCount: Int64 = 0

    /// Creates the file at `path`, or truncates it.
    init(path: String) throws(ArchiveError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        buffer.reserveCapacity(Self.capacity)
    }

    deinit {
        if descriptor >= 0 { _ = systemClose(descriptor) }
    }

    /// The number of bytes so far.
    var position: Int64 { writtenByteCount + Int64(buffer.count) }

    func append(_ bytes: [UInt8]) throws(ArchiveError) {
        if buffer.count + bytes.count > Self.capacity { try flush() }
        guard bytes.count < Self.capacity else { return try write(bytes) }
        buffer += bytes
    }

    /// Replaces bytes that were appended.
    func overwrite(_ bytes: [UInt8], at offset: Int64) throws(ArchiveError) {
        try flush()
        var count = 0
        while count < bytes.count {
            let written = bytes[count...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + Int64(count)))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failure(errno) }
            count += written
        }
    }

    /// Writes what is buffered, and closes the file.
    func close() throws(ArchiveError) {
        try flush()
        let status = systemClose(descriptor)
        descriptor = -1
        guard status == 0 else { throw Self.failure(errno) }
    }

    private func flush() throws(ArchiveError) {
        try write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: [UInt8]) throws(ArchiveError) {
        var count = 0
        while count < bytes.count {
            let written = bytes[count...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failure(errno) }
            count += written
        }
        writtenByteCount += Int64(count)
    }

    private static func failure(_ number: Int32) -> ArchiveError {
        ArchiveError(
            .unwritable,
            "can't be written: \(String(cString: strerror(number)))",
            advice: "check the folder, its permissions and the free space",
            cause: number
        )
    }
}

// The methods of the same names hide these.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
