import CMappedFault
import Synchronization
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
/// Files of the store are replaced by rename and never changed in place, so a mapping can't shrink under a reader
/// unless another program truncates the file or the disk fails: see ``surviveFaults()``. `@unchecked Sendable`: the
/// mapping is read-only and lives until `deinit`.
final class MappedFile: ByteOwner, @unchecked Sendable {
    /// Identifies a file regardless of its names.
    struct Identity: Equatable, Sendable {
        private let device: DeviceID
        private let inode: Inode

        init(_ status: Stat) {
            device = status.deviceID
            inode = status.inode
        }
    }

    /// Changes when a file is written to or truncated.
    struct Stamp: Equatable, Sendable {
        private let identity: Identity
        private let size: Int64
        private let times: [Int]

        init(_ status: Stat) {
            identity = Identity(status)
            size = status.size
            times = [status.st_mtim, status.st_ctim].flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
        }

        /// Nil when the file doesn't exist.
        init?(_ path: FilePath) {
            guard let status = try? path.stat() else { return nil }
            self.init(status)
        }
    }

    /// Whether faults are survived from now on.
    private static let survivesFaults = Atomic(false)

    /// Makes the process survive from now on when a mapped file is truncated, or its disk fails, while it is read.
    /// Applies to files that are mapped after this call. Installs a handler for SIGBUS, for the whole process, once.
    ///
    /// - Throws: `Errno` when the handler can't be installed.
    static func surviveFaults() throws {
        guard mapped_fault_install() else { throw Errno(rawValue: errno) }
        survivesFaults.store(true, ordering: .releasing)
    }

    /// The values of ``descriptor`` before its first use, and when the file can't be opened.
    private static let (unopened, unavailable): (Int32, Int32) = (-1, -2)

    let bytes: UnsafeRawBufferPointer
    let identity: Identity
    let stamp: Stamp
    /// The number of its fault range; negative for none.
    private let faultRange: Int32
    private let path: FilePath
    private let opened = Atomic(MappedFile.unopened)

    /// - Parameter header: The header that the file must start with, checked before it is mapped; nil for none.
    /// - Throws: `Errno` when the file can't be opened or mapped; what ``StoreFileHeader/check(_:of:at:)`` throws.
    init(_ path: FilePath, with header: StoreFileHeader? = nil) throws {
        let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        defer { try? descriptor.close() }
        let status = try descriptor.stat()
        identity = Identity(status)
        stamp = Stamp(status)
        self.path = path
        let size = Int(status.size)
        try header?.check(descriptor, of: size, at: path)
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            faultRange = -1
            return
        }
        guard let address = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.rawValue, 0), address != MAP_FAILED
        else { throw Errno(rawValue: errno) }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
        faultRange = Self.survivesFaults.load(ordering: .acquiring) ? mapped_fault_add(address, size) : -1
    }

    var hasFaulted: Bool { mapped_fault_has_occurred(faultRange) }

    /// Also true after a fault. A file that was deleted, or whose name now belongs to another file, counts as
    /// unchanged.
    var hasChanged: Bool {
        if hasFaulted { return true }
        guard let status = try? path.stat(), Identity(status) == identity else { return false }
        return Stamp(status) != stamp
    }

    /// Releases the memory made resident by reading the file. It is read again on the next access.
    func dropResidentPages() {
        if let address = bytes.baseAddress {
            // A shared file mapping loses no data: this is only advice.
            _ = madvise(UnsafeMutableRawPointer(mutating: address), bytes.count, MADV_DONTNEED)
        }
    }

    /// The file, opened for reading as long as the object lives; nil when it can't be opened or its name now belongs to
    /// another file. Opened on first use: a store may have more files than a process may have open.
    var descriptor: Int32? {
        let known = opened.load(ordering: .acquiring)
        guard known == Self.unopened else { return known == Self.unavailable ? nil : known }
        let new = (try? reopened())?.rawValue ?? Self.unavailable
        let (isFirst, other) = opened.compareExchange(
            expected: Self.unopened,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        if !isFirst, new >= 0 { close(new) }
        let kept = isFirst ? new : other
        return kept >= 0 ? kept : nil
    }

    private func reopened() throws -> FileDescriptor? {
        let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        do {
            if try Identity(descriptor.stat()) == identity { return descriptor }
        } catch {
            try descriptor.close()
            throw error
        }
        try descriptor.close()
        return nil
    }

    deinit {
        let descriptor = opened.load(ordering: .relaxed)
        if descriptor >= 0 { close(descriptor) }
        mapped_fault_remove(faultRange)
        if let address = bytes.baseAddress {
            munmap(UnsafeMutableRawPointer(mutating: address), bytes.count)
        }
    }
}

extension ByteSlice {
    /// Maps a whole file.
    ///
    /// - Throws: `Errno` when the file can't be opened or mapped.
    package init(mapping path: FilePath) throws {
        self.init(try MappedFile(path))
    }

    /// Covers all of a mapped file.
    init(_ file: MappedFile) {
        self.init(of: file)
    }
}
