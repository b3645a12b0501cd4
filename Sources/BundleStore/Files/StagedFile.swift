import SystemPackage

import struct Crypto.SHA256

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
