import CFileUser
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Makes files and folders of a store. They get the owner and the mode of the folder that they are in, whatever the umask: a
/// service has to read and replace in its store what `sudo bundlectl install` made there.
enum FileOwner {
    /// Opens a file that may be created.
    ///
    /// - Parameters:
    ///   - permissions: What is permitted at most.
    ///   - inheritsMode: Whether what the folder permits limits it, in place of the umask.
    /// - Throws: `Errno`.
    static func open(
        _ path: FilePath,
        _ mode: FileDescriptor.AccessMode,
        options: FileDescriptor.OpenOptions,
        permissions: FilePermissions,
        inheritsMode: Bool = true
    ) throws -> FileDescriptor {
        try making(path) { folder, name, status in
            let flags = mode.rawValue | options.rawValue
            while true {
                let file = openat(folder, name, flags, permissions.rawValue)
                guard file >= 0 else {
                    guard errno == EINTR else { throw Errno(rawValue: errno) }
                    continue
                }
                // Without `exclusiveCreate` it may have been there.
                if inheritsMode, options.contains(.exclusiveCreate), let status {
                    _ = fchmod(file, permissions.intersection(status.permissions).rawValue)
                }
                return FileDescriptor(rawValue: file)
            }
        }
    }

    /// Makes an empty file, if there is none.
    ///
    /// - Throws: `Errno`.
    static func makeEmptyFile(_ path: FilePath, permissions: FilePermissions) throws {
        let options: FileDescriptor.OpenOptions = [.create, .exclusiveCreate, .noFollow, .closeOnExec]
        do { try open(path, .writeOnly, options: options, permissions: permissions).close() } catch Errno.fileExists {}
    }

    /// Makes a folder, whose name is then not durable.
    ///
    /// - Parameter inheritsMode: Whether it gets the mode of the folder that it is in, even if that is this user's own.
    /// - Returns: Why it wasn't made, or nil.
    static func makeFolder(_ path: FilePath, inheritsMode: Bool) -> Errno? {
        making(path) { folder, name, status in
            guard mkdirat(folder, name, 0o755) == 0 else { return Errno(rawValue: errno) }
            if inheritsMode || isForAnother(status), let status {
                // With set-group-ID, what is made in the folder has its group.
                _ = fchmodat(folder, name, 0o2755 & status.permissions.rawValue, 0)
            }
            return nil
        }
    }

    /// Makes a folder that no other user can read, or rename where the folder above has the sticky bit, with any umask. It
    /// must not exist, and its name isn't durable.
    ///
    /// - Throws: `Errno`.
    static func makePrivateFolder(_ path: FilePath) throws(Errno) {
        let error = making(path) { folder, name, _ in
            mkdirat(folder, name, 0o700) == 0 ? nil : Errno(rawValue: errno)
        }
        if let error { throw error }
    }

    /// What to do when one of the store's files can't be read or written; nil when they belong to its folder's owner.
    ///
    /// - Parameter path: The file; nil when it isn't known.
    static func remedy(for path: FilePath? = nil, in layout: StoreLayout) -> Remedy? {
        guard let owner = try? layout.root.stat().userID else { return nil }
        let isForeign = (path.map { [$0] } ?? layout.ownedPaths).contains { path in
            (try? path.stat(followTargetSymlink: false)).map { $0.userID != owner } ?? false
        }
        return isForeign ? .restoreOwner(of: layout.root.string, owner.rawValue) : nil
    }

    /// Runs `body` with a folder, the path of the new file from there, and what is known of the folder.
    ///
    /// Root acts as the owner of the folder that it has found, for the thread's access to files only (setfsuid(2)): the owner,
    /// who may exchange for a link anything on the way there, is given nothing that the owner couldn't have made.
    private static func making<Result>(
        _ path: FilePath,
        _ body: (_ folder: CInt, _ name: String, Stat?) throws -> Result
    ) rethrows -> Result {
        #if os(Linux)
            if geteuid() == 0,
                let folder = try? FileDescriptor.open(path.folder, .readOnly, options: [.directory, .closeOnExec])
            {
                defer { try? folder.close() }
                if let status = try? folder.stat(), isForAnother(status) {
                    file_user_set(status.userID.rawValue, status.groupID.rawValue)
                    defer { file_user_set(geteuid(), getegid()) }
                    return try body(folder.rawValue, path.lastName, status)
                }
            }
        #endif
        return try body(AT_FDCWD, path.string, try? path.folder.stat())
    }

    private static func isForAnother(_ folder: Stat?) -> Bool {
        geteuid() == 0 && folder.map { $0.userID.rawValue != 0 } ?? false
    }
}
