import Foundation
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Memory of a fixed size that the system may write to the store's disk instead of keeping it resident: a file in the
/// store without a name, mapped for reading and writing. A crash leaves nothing of it.
///
/// Not thread-safe. The bytes are zero at first, and valid as long as the object lives.
package final class ScratchFile {
    /// The bytes.
    package let bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    deinit {
        if let address = bytes.baseAddress { munmap(address, bytes.count) }
    }

    static func map(_ path: FilePath, byteCount: Int) throws -> UnsafeMutableRawBufferPointer {
        guard byteCount > 0 else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        let file = try FileDescriptor.open(
            path,
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite
        )
        return try file.closeAfter {
            let room = Result { try reserve(byteCount, in: file) }
            try Durable.remove(path)
            try room.get()
            let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
            guard let address, address != MAP_FAILED else { throw Errno(rawValue: errno) }
            return UnsafeMutableRawBufferPointer(start: address, count: byteCount)
        }
    }

    /// Without room on the disk, a later access to the mapping would end the process.
    private static func reserve(_ byteCount: Int, in file: FileDescriptor) throws {
        #if canImport(Darwin)
            var room = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL),
                fst_posmode: F_PEOFPOSMODE,
                fst_offset: 0,
                fst_length: off_t(byteCount),
                fst_bytesalloc: 0
            )
            guard fcntl(file.rawValue, F_PREALLOCATE, &room) == 0 else { throw Errno(rawValue: errno) }
            try file.resize(to: Int64(byteCount))
        #else
            // Returns the error, and doesn't set errno.
            let result = posix_fallocate(file.rawValue, 0, off_t(byteCount))
            guard result == 0 else { throw Errno(rawValue: result) }
        #endif
    }
}

/// A new folder in the system's temporary folder for a store of this process, which no other user can read or rename. It is
/// removed with this value, and when the program is interrupted.
package struct ScratchFolder: ~Copyable {
    /// The folder's path.
    package let path: String

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the temporary folder can't be written.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "offline-bundles-\(UUID().uuidString)").path
        UnfinishedOutput.add(path)
        try StoreAccess.run(at: path) { [path] in
            // Root's is root's, though the temporary folder be another user's.
            guard mkdir(path, 0o700) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        UnfinishedOutput.drop(path)
    }
}
