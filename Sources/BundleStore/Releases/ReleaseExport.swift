import Foundation
import SystemPackage

import struct Crypto.SHA256

extension Release {
    /// Writes every file of the release to a folder and checks each against its digest. The folder gets its name only
    /// when it is complete; a failure leaves nothing, and the next export to the same folder removes what a killed
    /// process left. Nothing is synced to disk.
    ///
    /// - Parameters:
    ///   - folder: A folder that doesn't exist or is empty; its parent must exist.
    ///   - progress: Called now and then with the bytes of the files that are written.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the folder isn't empty or is a file,
    ///   `outputUnavailable` when it can't be written, `storeDamaged` when a file doesn't match its digest;
    ///   `CancellationError` when the task is cancelled.
    public func export(to folder: String, progress: (ByteProgress) -> Void = { _ in }) throws {
        try export(to: folder, free: { try FileSystemRoom(of: $0).freeByteCount }, progress: progress)
    }

    /// - Parameter free: The free space of a folder's file system in bytes.
    func export(
        to folder: String,
        free: (FilePath) throws -> Int64,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws {
        // “.” isn't a valid destination for a rename; the folder that it stands for is.
        let destination = FilePath(URL(fileURLWithPath: folder).standardizedFileURL.path)
        try Self.checkIsFree(destination)
        try checkRoom(try Self.writing(destination) { try free(destination.folder) }, for: destination)
        let staging = try Self.writing(destination) { try StagingFolder(for: destination) }
        // Others may use it, as the umask says.
        let root = staging.path.appending("release")
        var folders: Set<FilePath> = []
        func make(_ folder: FilePath) throws {
            guard folders.insert(folder).inserted else { return }
            try Self.writing(destination) {
                try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
            }
        }
        try make(root)
        var done: Int64 = 0
        for asset in assets {
            try Task.checkCancellation()
            let (path, contents) = try asset.pathAndContents()
            let file = FilePath("\(root)/\(path)")
            try make(file.folder)
            let digest = try Self.write(contents, to: file, of: destination) { count in
                done &+= Int64(count)
                progress(ByteProgress(done: done, total: byteCount))
            }
            guard digest == asset.digest else { throw asset.damaged }
        }
        try Self.writing(destination) { try staging.publish(root) }
    }

    private static let chunkByteCount = 1 << 20

    private static func checkIsFree(_ folder: FilePath) throws(BundleError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.folder.string) else {
            let parent = Printable.line(folder.folder.string)
            throw BundleError(.outputUnavailable, "there is no folder \(parent); make it first")
        }
        guard FileManager.default.fileExists(atPath: folder.string, isDirectory: &isFolder) else { return }
        let isEmpty = isFolder.boolValue && (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) == []
        guard !isEmpty else { return }
        let name = Printable.line(folder.string)
        throw BundleError(
            .invalidArgument,
            isFolder.boolValue
                ? "\(name) is not empty; name a new folder, or empty it first"
                : "\(name) is a file; name a new folder"
        )
    }

    /// The space that the files take, each in whole blocks, as most file systems have them.
    var exportByteCount: Int64 {
        assets.reduce(0) { $0 &+ (Int64(max($1.byteCount, 1)) &+ Self.blockByteCount - 1) & ~(Self.blockByteCount - 1) }
    }

    private static let blockByteCount: Int64 = 4_096

    /// One content may be that of many files: the release may be many times as large as what the store has of it.
    private func checkRoom(_ free: Int64, for destination: FilePath) throws(BundleError) {
        let needed = exportByteCount
        guard needed > free else { return }
        throw BundleError(
            .outputUnavailable,
            "\(name)@\(version) takes \(ByteCount.text(needed)), and the disk of \(Printable.line(destination.string)) "
                + "\(ByteCount.text(free)) free; nothing was written",
            .freeSpace
        )
    }

    /// Writes in pieces, so that a cancelled task ends soon, and returns the digest of the bytes written.
    private static func write(
        _ contents: ByteSlice,
        to file: FilePath,
        of destination: FilePath,
        _ progress: (Int) -> Void
    ) throws -> Digest {
        let output = try writing(destination) { try BufferedFile(creating: file, inheritsMode: false) }
        var hasher = SHA256()
        for start in stride(from: 0, to: contents.count, by: chunkByteCount) {
            try Task.checkCancellation()
            let chunk = contents[start..<min(start + chunkByteCount, contents.count)]
            try chunk.withUnsafeBytes { bytes in
                hasher.update(bufferPointer: bytes)
                try writing(destination) { try output.append(bytes) }
            }
            progress(chunk.count)
        }
        try writing(destination) {
            try output.flush()
            try output.close(syncing: false)
        }
        return Digest(hasher.finalize())
    }

    private static func writing<Result>(
        _ destination: FilePath,
        _ body: () throws -> Result
    ) throws(BundleError) -> Result {
        do { return try body() } catch { throw .unwritable(destination, error) }
    }
}

extension Asset {
    /// The path, validated like outside data, and the content, which isn't checked yet.
    fileprivate func pathAndContents() throws(BundleError) -> (BundlePath, ByteSlice) {
        guard let path = try? BundlePath(path), let contents = uncheckedContents else {
            throw damaged
        }
        return (path, contents)
    }

    fileprivate var damaged: BundleError {
        BundleError(
            .storeDamaged,
            "\(release.name)@\(release.version) \(Printable.text(path)) is damaged",
            .repair(.content)
        )
    }
}
