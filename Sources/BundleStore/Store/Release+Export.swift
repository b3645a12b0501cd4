import Foundation
import SystemPackage

extension Release {
    /// Writes every file of the release to a folder, each checked against its digest on the way. The folder gets its name
    /// when it is whole; a failure leaves nothing. Nothing is forced to the disk.
    ///
    /// - Parameters:
    ///   - folder: A folder that isn't there or is empty; the one that holds it must exist.
    ///   - progress: Called after each file with the bytes written so far and the bytes in all.
    /// - Throws: ``BundleError`` with code `invalidArgument` when the folder isn't empty or is a file, `outputUnavailable`
    ///   when it can't be written, `storeDamaged` when a file isn't what it was; `CancellationError` when the task is
    ///   cancelled.
    public func export(
        to folder: String,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws {
        let destination = FilePath(folder)
        try Self.checkIsFree(destination)
        let staging = destination.hiddenSibling
        // Nothing is left there after the rename.
        defer { try? FileManager.default.removeItem(atPath: staging.string) }
        var folders: Set<FilePath> = []
        var done: Int64 = 0
        for asset in assets {
            try Task.checkCancellation()
            let (path, contents) = try asset.checkedContents()
            let file = staging.appending(path.components.compactMap { FilePath.Component(String($0)) })
            try Self.writing(destination) {
                if folders.insert(file.folder).inserted { try Durable.makeFolder(file.folder) }
                try Self.write(contents, to: file)
            }
            done += Int64(asset.byteCount)
            progress(done, byteCount)
        }
        try Self.writing(destination) { try Self.rename(staging, to: destination) }
    }

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

    private static func write(_ contents: ByteSlice, to file: FilePath) throws {
        let descriptor = try FileDescriptor.open(
            file,
            .writeOnly,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
        try descriptor.closeAfter { _ = try contents.withUnsafeBytes { try descriptor.writeAll($0) } }
    }

    private static func rename(_ staging: FilePath, to destination: FilePath) throws {
        // rename(2) replaces an empty folder, and no other.
        guard Foundation.rename(staging.string, destination.string) == 0 else { throw Errno(rawValue: errno) }
    }

    private static func writing(_ destination: FilePath, _ body: () throws -> Void) throws(BundleError) {
        do { try body() } catch { throw .unwritable(destination, error) }
    }
}

extension Asset {
    /// The path, checked as if it came from outside, and the content, compared with its digest.
    fileprivate func checkedContents() throws(BundleError) -> (BundlePath, ByteSlice) {
        guard let path = try? BundlePath(path), let contents,
            contents.withUnsafeBytes({ Digest(of: $0) }) == digest
        else {
            throw BundleError(
                .storeDamaged,
                "\(release.name)@\(release.version) \(Printable.text(path)) is damaged; reinstall it with --force"
            )
        }
        return (path, contents)
    }
}
