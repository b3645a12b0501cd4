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

/// Which files of a folder ``Packer`` packs, and as which release.
///
/// A value type; safe to share between threads.
public struct PackOptions: Sendable {
    /// Which files are packed; nil for all. What is on it and not in the folder is a warning.
    public var list: IncludeList?
    /// What is left out besides the folder's `.bundleignore`, after which these count.
    public var excluded: [IgnorePattern] = []
    /// What is packed though it would be left out, or refused because it looks like a secret.
    public var included: [IgnorePattern] = []
    /// The name in the archive's manifest, in place of the folder's; nil for that one.
    public var name: BundleName?
    /// The version in the archive's manifest, in place of the folder's; nil for that one.
    public var version: BundleVersion?
    /// The manifest for a folder without one; if nil, such a folder is refused.
    public var manifest: BundleManifest?
    /// The manifest that counts in place of the folder's own, which may then be wrong or missing.
    package var manifestFile: ManifestFile?
    /// What is packed besides the folder's files.
    package var addition: PackAddition?
    /// How many threads compress; nil for one for each processor.
    package var threadCount: Int?

    /// Creates the options that pack all but hidden files and `node_modules`.
    public init() {}
}

/// The result of ``Packer``.
public struct PackReport: Sendable {
    /// The manifest in the folder's `bundle.json`.
    public let manifest: BundleManifest
    /// The number of files.
    public let fileCount: Int
    /// The sum of the files' lengths in bytes.
    public let byteCount: Int64
    /// The number of files that were left out because they weren't on the list.
    public let excludedFileCount: Int
    /// The files and folders that were left out because they are hidden, `node_modules`, or excluded; folders end in a
    /// slash, and what lies in them isn't listed.
    public let leftOut: [String]
    /// Harmless oddities, such as unknown keys in the manifest.
    public let warnings: [String]
}

/// The manifest of a folder that is packed.
struct PackedManifest {
    let manifest: BundleManifest
    let warnings: [String]
    /// What is packed in place of the folder's `bundle.json`; nil for that as it is.
    let content: [UInt8]?

    /// Reads the manifest, and sets the name and version that the options have.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest`.
    init(of contents: FolderContents, _ folder: String, _ options: PackOptions) throws(BundleError) {
        let location = contents.files.first { $0.path.string == BundleManifest.fileName }.flatMap(\.location)
        let file = options.manifestFile
        let own = file == nil ? location.flatMap { FileManager.default.contents(atPath: $0) }.map { Array($0) } : nil
        guard let bytes = file?.content ?? own ?? options.manifest?.encoded() else {
            throw BundleError(
                .invalidManifest,
                "\(Printable.line(folder)) has no \(BundleManifest.fileName)",
                .writeManifest
            )
        }
        do throws(BundleError) {
            let name = file?.name ?? BundleManifest.fileName
            let edited = try Self.edited(bytes, named: name, options)
            let parsed = try BundleManifest.parse(edited ?? bytes, named: name)
            (manifest, warnings) = (parsed.manifest, parsed.warnings)
            content = edited ?? (own == nil ? bytes : nil)
        } catch {
            throw file == nil ? error.located(at: Printable.line(folder)) : error
        }
    }

    /// Nil when nothing is to be set. Everything else stays as it is, also what isn't known.
    private static func edited(
        _ bytes: [UInt8],
        named name: String,
        _ options: PackOptions
    ) throws(BundleError) -> [UInt8]? {
        let changes = [("name", options.name?.string), ("version", options.version?.string)]
        guard changes.contains(where: { $0.1 != nil }) else { return nil }
        let document = try JSONElement(
            parsing: bytes,
            named: name,
            maximumByteCount: BundleManifest.maximumByteCount,
            refusedAs: .invalidManifest
        )
        guard case .object(let object) = document.value else { throw document.mismatch("an object") }
        var members = object.members
        for case (let key, let value?) in changes {
            let member = JSONObject.Member(key, .string(value))
            if let index = members.firstIndex(where: { $0.key == key }) {
                members[index] = member
            } else {
                members.append(member)
            }
        }
        return JSONWriter.bytes(of: .object(JSONObject(members)), .lines)
    }
}
