import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// File operations that survive a power failure. Each step is durable when the next one begins:
///
/// 1. A file is written under a temporary name and synced (fsync, on Darwin F_FULLFSYNC): content and length are
///    durable.
/// 2. It is renamed to its final name: a process that finds the name finds the whole file.
/// 3. The folder is synced: the name survives a power failure.
/// 4. When that has been done for each file of a change, the catalog's one transaction commits, with
///    `synchronous=FULL`: SQLite syncs its log before the commit returns. Every file that the catalog refers to
///    therefore exists and is complete.
///
/// Removal is in the opposite order: first the commit that no longer refers to a file, then the file. A crash between
/// any two steps leaves the old state or the new one, and at most unreferenced files.
package enum Durable {
    /// Flushes a file's content and size to the disk.
    package static func sync(_ descriptor: FileDescriptor) throws {
        #if canImport(Darwin)
            // On Darwin fsync leaves data in the drive's cache; F_FULLFSYNC doesn't (fcntl(2)).
            if fcntl(descriptor.rawValue, F_FULLFSYNC) == 0 { return }
        #endif
        while fsync(descriptor.rawValue) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }

    /// Flushes a folder's directory entries.
    static func syncFolder(_ folder: FilePath) throws {
        let descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        defer { try? descriptor.close() }
        try sync(descriptor)
    }

    /// Gives a synced temporary file its name, replacing what has it, and flushes the folder that it is in then.
    package static func publish(_ temporary: FilePath, as path: FilePath, in folder: FilePath) throws {
        try rename(temporary, to: path)
        try syncFolder(folder)
    }

    /// Renames a file, replacing what has the name. Not durable before the folder is synced.
    package static func rename(_ file: FilePath, to path: FilePath) throws {
        #if canImport(Darwin)
            let result = Darwin.rename(file.string, path.string)
        #elseif canImport(Musl)
            let result = Musl.rename(file.string, path.string)
        #else
            let result = Glibc.rename(file.string, path.string)
        #endif
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Creates a folder and its parents. An existing folder is not an error.
    package static func makeFolder(_ folder: FilePath) throws {
        var error = FileOwner.makeFolder(folder, inheritsMode: false)
        if error == .noSuchFileOrDirectory, folder.components.count > 1 {
            try makeFolder(folder.removingLastComponent())
            error = FileOwner.makeFolder(folder, inheritsMode: false)
        }
        if error == .fileExists { return }
        if let error { throw error }
        try syncFolder(folder.folder)
    }

    /// Creates folders inside `parent`, which is flushed once for all of them. An existing folder is not an error.
    package static func makeFolders(_ folders: [FilePath], in parent: FilePath) throws {
        guard !folders.isEmpty else { return }
        for folder in folders {
            if let error = FileOwner.makeFolder(folder, inheritsMode: true), error != .fileExists { throw error }
        }
        try syncFolder(parent)
    }

    /// Whether `path` exists.
    ///
    /// - Throws: `Errno` when that can't be determined.
    package static func exists(_ path: FilePath) throws -> Bool {
        do {
            _ = try path.stat()
            return true
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return false
        }
    }

    /// Removes a file. A missing file is not an error.
    package static func remove(_ file: FilePath) throws {
        guard unlink(file.string) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
    }
}
