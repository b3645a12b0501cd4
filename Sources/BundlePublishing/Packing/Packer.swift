import BundleArchive
import BundleInstall
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
    ///   - options: Which files are packed.
    ///   - progress: Called now and then with the bytes of the files that are packed.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when `bundle.json` is missing or invalid, or
    ///   names a file that doesn't exist; `invalidArchive` for links, devices, names that couldn't be installed, and
    ///   names that look like secrets; `inputUnavailable` when the folder can't be read, `invalidArgument` when it would
    ///   contain the archive; `outputUnavailable` when the
    ///   archive can't be written; `CancellationError` when the task is cancelled.
    public func pack(
        _ folder: String,
        into archive: String,
        format: ArchiveFormat,
        options: PackOptions = PackOptions(),
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> PackReport {
        try checkLiesOutside(archive, folder)
        let list = options.list
        let found = try FolderContents(of: folder, FileSelection(of: folder, options))
        let manifest = try PackedManifest(of: found, folder, options)
        let all = try Self.contents(found, with: manifest, options.addition)
        let paths = Set(all.files.map(\.path))
        try ReleaseManifest.check(manifest.manifest, in: Printable.line(folder)) { paths.intersection($0) }
        let contents = list.map { all.keeping($0, and: ReleaseManifest.namedFiles(manifest.manifest)) } ?? all
        let staged = try StagedFile(for: archive)
        let total = contents.files.reduce(0) { $0 + $1.byteCount }
        try write(contents, to: staged.path, named: archive, format, options.threadCount) { done in
            progress(ByteProgress(done: done, total: total))
        }
        try staged.publish()
        return PackReport(
            manifest: manifest.manifest,
            fileCount: contents.files.count,
            byteCount: total,
            excludedFileCount: all.files.count - contents.files.count,
            leftOut: all.leftOut,
            warnings: manifest.warnings
                + PatternUse.warnings(manifest.manifest, among: contents.files.lazy.map(\.path), in: folder)
                + (list?.warnings(among: all.files.map(\.path), of: folder) ?? [])
        )
    }

    /// Differs after a change of what would be packed, by its names, lengths and times. Values of other runs of the program
    /// can't be compared.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when the folder can't be read.
    package func fingerprint(of folder: String, options: PackOptions = PackOptions()) throws(BundleError) -> Int {
        var walk = FolderWalk(try FileSelection(of: folder, options))
        try walk.list(folder, below: nil)
        return walk.fingerprint
    }

    /// The files, with the manifest that is packed, and what options add.
    private static func contents(
        _ found: FolderContents,
        with manifest: PackedManifest,
        _ addition: PackAddition?
    ) throws -> FolderContents {
        let all = addition.map(found.adding) ?? found
        guard let content = manifest.content else { return all }
        return all.adding(FolderContents.File(try BundlePath(BundleManifest.fileName), content: content))
    }

    private func write(
        _ contents: FolderContents,
        to path: String,
        named archive: String,
        _ format: ArchiveFormat,
        _ threadCount: Int?,
        _ progress: (_ done: Int64) -> Void
    ) throws {
        do {
            if format == .zip {
                try ZipPacking(contents.files, to: path).run(threadCount: threadCount, progress)
            } else {
                try writeInOrder(contents, to: path, format, progress)
            }
        } catch let error as ArchiveError {
            // The user doesn't know the temporary file.
            let problem = error.problem.replacing(Printable.line(path), with: Printable.line(archive))
            let code: BundleError.Code = error.code == .unwritable ? .outputUnavailable : .invalidArchive
            throw BundleError(code, problem, error.remedy, cause: error)
        }
    }

    /// Compresses the archive as one stream, as the format wants it.
    private func writeInOrder(
        _ contents: FolderContents,
        to path: String,
        _ format: ArchiveFormat,
        _ progress: (_ done: Int64) -> Void
    ) throws {
        let writer = try ArchiveWriter(path: path, format: format)
        var done: Int64 = 0
        for file in contents.files {
            let packed = try PackedFile(file)
            try writer.add(name: file.path.string, byteCount: file.byteCount) { buffer in
                // Compressing takes a while, and a cancelled task must not leave a partial archive.
                try Task.checkCancellation()
                let count = try packed.read(into: buffer)
                done += Int64(count)
                progress(done)
                return count
            }
        }
        try Task.checkCancellation()
        try writer.finish()
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
