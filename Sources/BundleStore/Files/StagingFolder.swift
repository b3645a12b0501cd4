import Foundation
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A hidden folder beside a destination, for output that then replaces the destination. Only this user can use it. If it is
/// released, what is still in it is removed. Root makes it, and what is in it, as the owner of the folder that it is in.
///
/// It is locked (flock(2)) as long as its process lives, so that the next one for the same destination can recognise
/// and remove what a killed process left. Not thread-safe.
final class StagingFolder {
    let path: FilePath
    private let destination: FilePath
    // Nil where folders can't be locked, as on some network file systems: then no process can take it for abandoned
    // either.
    private let lock: FileDescriptor?

    /// - Throws: `Errno` when the folder can't be created.
    init(for destination: FilePath) throws {
        Self.removeAbandoned(for: destination)
        self.destination = destination
        while true {
            let path = destination.folder.appending(
                Self.prefix(destination) + FileIdentifier.random().name + Self.suffix
            )
            UnfinishedOutput.add(path.string)
            do throws(Errno) {
                try FileOwner.makePrivateFolder(path)
            } catch {
                UnfinishedOutput.drop(path.string)
                throw error
            }
            let lock = try? FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
            // Between the two calls another process may have taken it for abandoned and will remove it.
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

    /// Renames a folder in it to the destination.
    ///
    /// - Throws: `Errno`, also when the destination exists and isn't an empty folder.
    func publish(_ folder: FilePath) throws {
        // rename(2) replaces an empty folder, and no other.
        guard rename(folder.string, destination.string) == 0 else { throw Errno(rawValue: errno) }
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

    /// Locks an open folder without waiting. Returns the reason for a failure.
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
    /// The parent folder, `.` for a bare name.
    var folder: FilePath {
        let folder = removingLastComponent()
        return folder.isEmpty ? "." : folder
    }

    /// The last component, or a placeholder for a path that has none.
    var lastName: String { lastComponent?.string ?? "output" }
}
