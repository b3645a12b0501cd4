import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Gives files and folders that root creates in another user's folder to that user, as far as the file system has owners: the
/// service has to read and replace in its store what `sudo bundlectl install` wrote.
enum FileOwner {
    /// Opens a file that may be created.
    ///
    /// - Throws: `Errno`.
    static func open(
        _ path: FilePath,
        _ mode: FileDescriptor.AccessMode,
        options: FileDescriptor.OpenOptions,
        permissions: FilePermissions
    ) throws -> FileDescriptor {
        let file = try FileDescriptor.open(path, mode, options: options, permissions: permissions)
        inherit(file, from: path.folder, permissions)
        return file
    }

    /// Makes an empty file as root, if there is none: SQLite gives the files beside a database the owner of that.
    static func makeEmptyFile(_ path: FilePath) {
        guard geteuid() == 0 else { return }
        let options: FileDescriptor.OpenOptions = [.create, .exclusiveCreate, .noFollow, .closeOnExec]
        try? open(path, .writeOnly, options: options, permissions: [.ownerReadWrite, .groupRead, .otherRead]).close()
    }

    /// Makes a folder, whose name is then not durable.
    ///
    /// - Returns: False when it can't be made; `errno` says why.
    static func makeFolder(_ path: FilePath) -> Bool {
        let permissions: FilePermissions = [
            .ownerReadWriteExecute, .groupRead, .groupExecute, .otherRead, .otherExecute,
        ]
        guard mkdir(path.string, permissions.rawValue) == 0 else { return false }
        guard geteuid() == 0,
            let folder = try? FileDescriptor.open(path, .readOnly, options: [.directory, .noFollow, .closeOnExec])
        else { return true }
        inherit(folder, from: path.folder, permissions)
        try? folder.close()
        return true
    }

    /// By descriptor, and never for a file that has another name: the folder's owner may exchange what is in it meanwhile.
    ///
    /// - Parameter permissions: What is permitted at most; what others may do with the folder limits it further.
    private static func inherit(_ file: FileDescriptor, from folder: FilePath, _ permissions: FilePermissions) {
        guard geteuid() == 0, let parent = try? folder.stat(), parent.userID.rawValue != 0,
            let own = try? file.stat(), own.userID.rawValue == 0, own.type == .directory || own.linkCount == 1
        else { return }
        _ = fchown(file.rawValue, parent.userID.rawValue, parent.groupID.rawValue)
        _ = fchmod(file.rawValue, permissions.intersection(parent.permissions).rawValue)
    }
}
