import Foundation
import Synchronization
import SystemPackage

import struct Crypto.SHA256

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that is written in a hidden folder beside its destination, and replaces the destination in one step when it
/// is complete. If it is released unpublished, what was written is removed.
///
/// Not thread-safe.
package struct StagedFile: ~Copyable {
    /// The path to write to: unused, on the destination's file system.
    package let path: String
    private let destination: FilePath
    private let folder: StagingFolder

    /// Chooses the path and creates its folder, but no file. Removes what a killed process left for the same
    /// destination.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when the folder can't be created.
    package init(for destination: String) throws(BundleError) {
        let destination = FilePath(destination)
        do {
            folder = try StagingFolder(for: destination)
        } catch {
            throw .unwritable(destination, error)
        }
        self.destination = destination
        path = folder.path.appending(destination.lastName).string
    }

    /// Moves the file to the destination, replacing an existing one, and makes both durable.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    package func publish() throws(BundleError) {
        try writing {
            let file = FilePath(path)
            let descriptor = try FileDescriptor.open(file, .readOnly, options: .closeOnExec)
            try descriptor.closeAfter { try Durable.sync(descriptor) }
            let folder = destination.folder
            try Durable.publish(file, as: folder.appending(destination.lastName), in: folder)
        }
    }

    /// Copies the file at `source` to the path, without publishing it.
    ///
    /// - Parameter progress: Called now and then with the bytes that are copied.
    /// - Returns: The length in bytes and the digest of the copy: the source may change at any time.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when the source can't be read,
    ///   `outputUnavailable` when the copy can't be written; `CancellationError` when the task is cancelled.
    package func copy(
        _ source: String,
        progress: (ByteProgress) -> Void
    ) throws -> (byteCount: Int64, digest: Digest) {
        let original = try InputFile(source)
        let file = try writing { try BufferedFile(creating: FilePath(path), inheritsMode: false) }
        var hasher = SHA256()
        var done: Int64 = 0
        try original.readChunks { chunk in
            try Task.checkCancellation()
            try writing { try file.append(chunk) }
            hasher.update(bufferPointer: chunk)
            done += Int64(chunk.count)
            progress(ByteProgress(done: done, total: original.byteCount))
        }
        try writing { try file.close(syncing: true) }
        return (done, Digest(hasher.finalize()))
    }

    /// Writes `bytes` as the whole file and publishes it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    package func publish(_ bytes: [UInt8]) throws(BundleError) {
        try writing {
            let file = try BufferedFile(creating: FilePath(path), inheritsMode: false)
            try file.append(bytes)
            try file.close(syncing: true)
        }
        try publish()
    }

    private func writing<Result>(_ body: () throws -> Result) throws(BundleError) -> Result {
        do { return try body() } catch { throw .unwritable(destination, error) }
    }
}

extension BundleError {
    static func unwritable(_ path: FilePath, _ cause: any Error) -> BundleError {
        BundleError(.outputUnavailable, "\(Printable.line(path.string)) can't be written", failure: cause)
    }
}

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

/// The files and folders that this process is writing and hasn't published yet. An immediate exit of the process
/// removes them first; otherwise each is removed by its writer. Thread-safe.
package enum UnfinishedOutput {
    // A process has one exit, so it has one list.
    private static let paths = Mutex<Set<String>>([])

    /// Adds a path that is to be written.
    package static func add(_ path: String) {
        paths.withLock { _ = $0.insert(path) }
    }

    /// Removes a path that was published or removed from the list.
    package static func drop(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    /// Deletes all paths, folders with their contents.
    package static func removeAll() {
        for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}
