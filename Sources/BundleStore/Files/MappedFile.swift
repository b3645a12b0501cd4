import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A whole file mapped read-only into memory.
///
/// Files of the store are replaced by rename and never changed in place, so the mapping can't shrink under a reader.
/// `@unchecked Sendable`: the mapping is read-only and lives until `deinit`.
final class MappedFile: ByteOwner, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// - Throws: `Errno` when the file can't be opened or mapped.
    init(_ path: FilePath) throws {
        let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        defer { try? descriptor.close() }
        let size = Int(try descriptor.stat().size)
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let address = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.rawValue, 0), address != MAP_FAILED
        else { throw Errno(rawValue: errno) }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        if let address = bytes.baseAddress {
            munmap(UnsafeMutableRawPointer(mutating: address), bytes.count)
        }
    }
}
