import Foundation
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A hidden folder beside a destination, in which is written what then takes the destination's place. When it goes away,
/// what is still there is removed.
///
/// It is locked (flock(2)) for as long as its process lives, so that the next one for the same destination knows what a
/// killed process has left, and removes it. Not thread-safe.
final class StagingFolder {
    let path: FilePath
    private let destination: FilePath
    // Nil where folders can't be locked, as on some network file systems: then nobody can take it for abandoned either.
    private let lock: FileDescriptor?

    /// - Throws: `Errno` when the folder can't be made.
    init(for destination: FilePath) throws {
        Self.removeAbandoned(for: destination)
        self.destination = destination
        while true {
            let path = destination.folder.appending(
                Self.prefix(destination) + FileIdentifier.random().name + Self.suffix
            )
            UnfinishedOutput.add(path.string)
            guard mkdir(path.string, 0o777) == 0 else {
                let error = Errno(rawValue: errno)
                UnfinishedOutput.drop(path.string)
                throw error
            }
            let lock = try? FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
            // Between the two calls another process may have taken it for abandoned: then there will be nothing soon.
            if let lock, Self.take(lock) == .wouldBlock || !Self.isFolder(lock, at: path) {
                try? lock.close()
                UnfinishedOutput.drop(path.string)
                continue
            }
            self.path = path
            self.lock = lock
            return
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
        UnfinishedOutput.drop(path.string)
        try? lock?.close()
    }

    /// Gives the folder itself the destination's name.
    ///
    /// - Throws: `Errno`, also when something but an empty folder is there.
    func takePlace() throws {
        // rename(2) replaces an empty folder, and no other.
        guard rename(path.string, destination.string) == 0 else { throw Errno(rawValue: errno) }
    }

    private static let suffix = ".part"

    private static func prefix(_ destination: FilePath) -> String { ".\(destination.lastName)." }

    private static func removeAbandoned(for destination: FilePath) {
        let prefix = prefix(destination)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: destination.folder.string)) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(suffix)
            && FileIdentifier(name: name.dropFirst(prefix.count).dropLast(suffix.count)) != nil
        {
            removeUnlessLocked(destination.folder.appending(name))
        }
    }

    private static func removeUnlessLocked(_ folder: FilePath) {
        let options: FileDescriptor.OpenOptions = [.directory, .noFollow, .closeOnExec]
        guard let lock = try? FileDescriptor.open(folder, .readOnly, options: options) else { return }
        defer { try? lock.close() }
        guard take(lock) == nil, isFolder(lock, at: folder) else { return }
        try? FileManager.default.removeItem(atPath: folder.string)
    }

    /// Locks an open folder, without waiting. Returns why that didn't work.
    private static func take(_ lock: FileDescriptor) -> Errno? {
        flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 ? nil : Errno(rawValue: errno)
    }

    /// Whether the path still leads to the folder that is open.
    private static func isFolder(_ descriptor: FileDescriptor, at path: FilePath) -> Bool {
        guard let there = try? path.stat(followTargetSymlink: false), let open = try? descriptor.stat() else {
            return false
        }
        return MappedFile.Identity(there) == MappedFile.Identity(open)
    }
}

extension FilePath {
    /// The folder that holds this, `.` for a bare name.
    var folder: FilePath {
        let folder = removingLastComponent()
        return folder.isEmpty ? "." : folder
    }

    /// The last component, or a name of its own for a path that has none.
    var lastName: String { lastComponent?.string ?? "output" }
}
