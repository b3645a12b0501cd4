import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// File operations that survive a power cut, each step of which holds when the next one begins:
///
/// 1. A file is written under a temporary name and synced (fsync, on Darwin F_FULLFSYNC): content and length are there.
/// 2. It is renamed to its final name: whoever finds the name finds the whole file.
/// 3. The folder is synced: the name is there after a power cut.
/// 4. When that has been done for each file of a change, the catalog's one transaction commits, with `synchronous=FULL`:
///    SQLite syncs its log before the commit returns. What the catalog refers to is therefore there, whole.
///
/// Removing goes the other way round: the commit that no longer refers to a file first, then the file. A crash between any
/// two steps leaves the old state or the new one, and at most files that nothing refers to.
enum Durable {
    /// Flushes a file's content and size to the disk itself.
    static func sync(_ descriptor: FileDescriptor) throws {
        #if canImport(Darwin)
            // On Darwin fsync leaves data in the drive's cache; F_FULLFSYNC doesn't (fcntl(2)).
            if fcntl(descriptor.rawValue, F_FULLFSYNC) == 0 { return }
        #endif
        while fsync(descriptor.rawValue) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }

    /// Flushes a folder's list of names.
    static func syncFolder(_ folder: FilePath) throws {
        let descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        defer { try? descriptor.close() }
        try sync(descriptor)
    }

    /// Gives a synced temporary file its name, replacing what has it, and flushes the folder that it is in then.
    static func publish(_ temporary: FilePath, as path: FilePath, in folder: FilePath) throws {
        guard rename(temporary.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        try syncFolder(folder)
    }

    /// Makes a folder and those above it. A folder that is there already is fine.
    static func makeFolder(_ folder: FilePath) throws {
        if mkdir(folder.string, 0o755) == 0 { return try syncFolder(folder.folder) }
        if errno == EEXIST { return }
        guard errno == ENOENT, folder.components.count > 1 else { throw Errno(rawValue: errno) }
        try makeFolder(folder.removingLastComponent())
        guard mkdir(folder.string, 0o755) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
        try syncFolder(folder.folder)
    }

    /// Makes folders inside of `parent`, which is flushed once for all of them. One that is there already is fine.
    static func makeFolders(_ folders: [FilePath], in parent: FilePath) throws {
        guard !folders.isEmpty else { return }
        for folder in folders where mkdir(folder.string, 0o755) != 0 && errno != EEXIST {
            throw Errno(rawValue: errno)
        }
        try syncFolder(parent)
    }

    /// Whether there is something at `path`.
    ///
    /// - Throws: `Errno` when that can't be found out.
    static func exists(_ path: FilePath) throws -> Bool {
        do {
            _ = try path.stat()
            return true
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return false
        }
    }

    /// Removes a file. One that isn't there is fine.
    static func remove(_ file: FilePath) throws {
        guard unlink(file.string) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
    }
}
