import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A regular file below a folder whose content somebody else decides: a path that leads out of the folder isn't followed,
/// whatever is there.
///
/// Thread-safe: it is only read, from any position.
package final class ConfinedFile: Sendable {
    /// Why a file can't be read.
    package enum Problem: Error, Hashable, Sendable {
        /// There is no such file or folder, or its medium is gone.
        case absent
        /// It is a symbolic link, or what should be a folder of the path is a link or a file.
        case link
        /// It is a folder, a FIFO, a device or a socket.
        case notRegular
        /// The number of another error of the system, as in errno(3).
        case system(CInt)
    }

    /// The length in bytes when it was opened.
    package let byteCount: Int64
    /// When it was changed last, in seconds and nanoseconds since 1970.
    package let modification: (seconds: Int64, nanoseconds: Int64)
    /// Differs between files of one file system.
    package let inode: UInt64
    private let descriptor: FileDescriptor

    /// Opens a file, without waiting for a writer, as opening a FIFO would.
    ///
    /// - Parameters:
    ///   - components: The path from the folder, one name each; at least one. None is empty, `.` or `..`, or has a slash or a
    ///     NUL.
    ///   - folder: The folder, an absolute path, which may have links itself.
    /// - Throws: ``Problem``.
    package init(_ components: [String], below folder: String) throws(Problem) {
        precondition(components.allSatisfy(Self.isName), "a path that leaves the folder")
        var opened = try Self.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY)
        for component in components.dropLast() {
            opened = try Self.open(component, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: opened)
        }
        descriptor = try Self.open(components.last ?? "", O_RDONLY | O_NONBLOCK | O_NOFOLLOW, in: opened)
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            try? descriptor.close()
            throw .notRegular
        }
        byteCount = Int64(status.st_size)
        inode = UInt64(status.st_ino)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modification = (Int64(time.tv_sec), Int64(time.tv_nsec))
    }

    deinit {
        try? descriptor.close()
    }

    /// Whether a text can be one name of a path.
    package static func isName(_ text: String) -> Bool {
        !["", ".", ".."].contains(text) && text.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") }
    }

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - position: Where they begin, 0 or more.
    ///   - count: How many at most.
    /// - Returns: Fewer only where the file ends.
    /// - Throws: ``Problem``.
    package func read(at position: Int64, atMost count: Int) throws(Problem) -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                while filled < count {
                    let rest = UnsafeMutableRawBufferPointer(
                        UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
                    )
                    let read = try descriptor.read(fromAbsoluteOffset: position + Int64(filled), into: rest)
                    guard read > 0 else { break }
                    filled += read
                }
            }
        } catch {
            throw Self.problem((error as? Errno)?.rawValue ?? EIO)
        }
    }

    /// Opens something, and closes the folder in which it is.
    private static func open(_ name: String, _ flags: CInt, in folder: FileDescriptor? = nil) throws(Problem)
        -> FileDescriptor
    {
        defer { try? folder?.close() }
        while true {
            let opened = openat(folder?.rawValue ?? AT_FDCWD, name, flags | O_CLOEXEC)
            let number = errno
            if opened >= 0 { return FileDescriptor(rawValue: opened) }
            if number != EINTR { throw problem(number) }
        }
    }

    private static func problem(_ number: CInt) -> Problem {
        switch number {
        // What an unplugged medium, or a server of files that is gone, leaves.
        case ENOENT, EIO, ENODEV, ENXIO, ESTALE, ENOTCONN, EHOSTDOWN: .absent
        case ELOOP, ENOTDIR: .link
        case EISDIR: .notRegular
        default: .system(number)
        }
    }
}

extension ConfinedFile.Problem: CustomStringConvertible {
    /// In words that follow a file's name.
    package var description: String {
        switch self {
        case .absent: "isn't there"
        case .link: "is a symbolic link, or isn't in a folder, and links aren't followed"
        case .notRegular: "isn't a regular file"
        case .system(let number): "can't be read: \(String(cString: strerror(number)))"
        }
    }
}
