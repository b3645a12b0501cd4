import BundleArchive
import BundleStore
import Foundation

/// Creates a release's archive from a folder that has a `bundle.json`. The same files always produce the same bytes.
///
/// A value type without state; safe to share between threads.
public struct Packer: Sendable {
    /// Creates a packer.
    public init() {}

    /// Packs a folder. The archive gets its name when it is complete, replacing an existing file; a failure leaves
    /// nothing.
    ///
    /// - Parameters:
    ///   - folder: The bundle's files.
    ///   - archive: The archive to write, outside the folder.
    ///   - format: The archive's format.
    ///   - list: Which files are packed; nil for all. What is on it and not in the folder is a warning.
    ///   - progress: Called now and then with the bytes of the files that are packed.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when `bundle.json` is missing or invalid, or
    ///   names a file that doesn't exist; `invalidArchive` for a link, a device, or a name that couldn't be installed;
    ///   `inputUnavailable` when the folder can't be read, `invalidArgument` when it would contain the archive; `outputUnavailable` when the
    ///   archive can't be written; `CancellationError` when the task is cancelled.
    public func pack(
        _ folder: String,
        into archive: String,
        format: ArchiveFormat,
        including list: IncludeList? = nil,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> PackReport {
        try checkLiesOutside(archive, folder)
        let all = try FolderContents(of: folder)
        let (manifest, warnings) = try manifest(of: all, folder)
        let contents = list.map { all.keeping($0, and: ReleaseManifest.namedFiles(manifest)) } ?? all
        let staged = try StagedFile(for: archive)
        let total = contents.files.reduce(0) { $0 + $1.byteCount }
        try write(contents, to: staged.path, named: archive, format) { done in
            progress(ByteProgress(done: done, total: total))
        }
        try staged.publish()
        return PackReport(
            manifest: manifest,
            fileCount: contents.files.count,
            byteCount: total,
            excludedFileCount: all.files.count - contents.files.count,
            warnings: warnings + HeaderPatternUse.warnings(manifest, among: contents.files.lazy.map(\.path), in: folder)
                + MacOSMetadata.warnings(leftOut: contents.leftOutCount, of: folder)
                + (list?.warnings(among: all.files.map(\.path), of: folder) ?? [])
        )
    }

    private func manifest(of contents: FolderContents, _ folder: String) throws -> (BundleManifest, [String]) {
        let name = Printable.line(folder)
        let location = contents.files.first { $0.path.string == BundleManifest.fileName }?.location
        guard let location, let bytes = FileManager.default.contents(atPath: location) else {
            throw BundleError(.invalidManifest, "\(name) has no \(BundleManifest.fileName); write one")
        }
        let parsed: ParsedManifest
        do {
            parsed = try BundleManifest.parse(Array(bytes))
        } catch {
            throw error.located(at: name)
        }
        let paths = Set(contents.files.map(\.path))
        try ReleaseManifest.check(parsed.manifest, in: name) { paths.intersection($0) }
        return (parsed.manifest, parsed.warnings)
    }

    private func write(
        _ contents: FolderContents,
        to path: String,
        named archive: String,
        _ format: ArchiveFormat,
        _ progress: (_ done: Int64) -> Void
    ) throws {
        do {
            let writer = try ArchiveWriter(path: path, format: format)
            var done: Int64 = 0
            for file in contents.files {
                try add(file, to: writer) { progress(done + $0.done) }
                done += file.byteCount
                progress(done)
            }
            try writer.finish()
        } catch let error as ArchiveError {
            // The user doesn't know the temporary file.
            let problem = error.problem.replacing(Printable.line(path), with: Printable.line(archive))
            let code: BundleError.Code = error.code == .unwritable ? .outputUnavailable : .invalidArchive
            throw BundleError(code, problem, error.remedy, cause: error)
        }
    }

    private func add(_ file: FolderContents.File, to writer: ArchiveWriter, _ progress: (ByteProgress) -> Void) throws {
        try Task.checkCancellation()
        guard let handle = FileHandle(forReadingAtPath: file.location) else {
            let name = Printable.line(file.location)
            throw BundleError(.invalidArchive, "\(name) can't be read; check its permissions")
        }
        defer { try? handle.close() }
        try writer.add(name: file.path.string, byteCount: file.byteCount, from: handle.fileDescriptor) { done in
            // Compressing takes a while, and a cancelled task must not leave a partial archive.
            try Task.checkCancellation()
            progress(done)
        }
    }

    /// Otherwise the next run would pack the archive into itself.
    private func checkLiesOutside(_ archive: String, _ folder: String) throws(BundleError) {
        let parent = URL(fileURLWithPath: archive).deletingLastPathComponent().resolvingSymlinksInPath()
        let packed = URL(fileURLWithPath: folder).resolvingSymlinksInPath()
        guard parent.pathComponents.starts(with: packed.pathComponents) else { return }
        throw BundleError(
            .invalidArgument,
            "\(Printable.line(archive)) lies in the folder to be packed; write it somewhere else"
        )
    }
}
