import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Who may use a file or folder, as the system says. A value.
package struct FileAccess: Sendable, Equatable {
    /// Where it is.
    package let path: String
    /// The number of the user to whom it belongs.
    package let owner: UInt32
    /// The permissions, with the sticky bit.
    package let mode: UInt16
    /// Whether it is a folder.
    package let isFolder: Bool
    /// Whether this process may read it; for a folder also enter it.
    package let isReadable: Bool
    /// Whether this process may change it.
    package let isWritable: Bool

    /// Takes the values as they are.
    package init(
        path: String,
        owner: UInt32,
        mode: UInt16,
        isFolder: Bool,
        isReadable: Bool,
        isWritable: Bool
    ) {
        (self.path, self.owner, self.mode, self.isFolder) = (path, owner, mode, isFolder)
        (self.isReadable, self.isWritable) = (isReadable, isWritable)
    }

    /// Asks the system.
    ///
    /// - Throws: `Errno` when there is no such file, or a folder on the way to it can't be entered.
    package init(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        func isAllowed(_ mode: CInt) -> Bool { faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 }
        self.init(
            path: path,
            owner: UInt32(status.st_uid),
            mode: UInt16(truncatingIfNeeded: status.st_mode & 0o7777),
            isFolder: isFolder,
            isReadable: isAllowed(isFolder ? R_OK | X_OK : R_OK),
            isWritable: isAllowed(isFolder ? W_OK | X_OK : W_OK)
        )
    }

    /// Whether others than its owner and its group may put something else in its place, or change it.
    package var isOpenToAll: Bool { mode & 0o002 != 0 && (!isFolder || mode & 0o1000 == 0) }
}
