import BundleStore
import Foundation

/// The files below a folder that is to be packed.
struct FolderContents {
    struct File {
        let path: BundlePath
        /// Its location. The name on disk may have another Unicode normalisation form than the path.
        let location: String
        let byteCount: Int64
    }

    /// Ordered by the bytes of the paths, so that the same files produce the same archive.
    let files: [File]
    /// The number of files that were left out because they are macOS metadata.
    let leftOutCount: Int

    /// Lists the files at any depth.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when there is no file, or something that
    ///   couldn't be installed: a link, a device, a name that isn't allowed, two names that are equal after
    ///   normalisation or differ only in case; `inputUnavailable` when a folder can't be read.
    init(of folder: String) throws(BundleError) {
        var files: [File] = []
        var names = PackedNames()
        var leftOutCount = 0
        try Self.list(folder, below: nil, &names) { file in
            if MacOSMetadata.includes(file.path) { leftOutCount += 1 } else { files.append(file) }
        }
        guard !files.isEmpty else { throw Self.refusal(folder, "has no file in it; name the folder of a bundle") }
        self.leftOutCount = leftOutCount
        self.files = files.sorted { $0.path < $1.path }
    }

    private init(_ files: [File], leftOutCount: Int) {
        self.files = files
        self.leftOutCount = leftOutCount
    }

    /// The manifest, the files of a list, and others.
    func keeping(_ list: IncludeList, and others: Set<BundlePath>) -> FolderContents {
        let kept = files.filter {
            $0.path.string == BundleManifest.fileName || others.contains($0.path) || list.includes($0.path)
        }
        return FolderContents(kept, leftOutCount: leftOutCount)
    }

    private static func list(
        _ folder: String,
        below parent: BundlePath?,
        _ names: inout PackedNames,
        _ found: (File) -> Void
    ) throws(BundleError) {
        for name in try self.names(in: folder) {
            let location = "\(folder)/\(name)"
            let path = try path(parent.map { "\($0)/\(name)" } ?? name, at: location)
            if !MacOSMetadata.includes(path) { try names.add(path, at: location) }
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: location),
                let type = attributes[.type] as? FileAttributeType
            else { throw refusal(location, "can't be read; check its permissions") }
            switch type {
            case .typeDirectory: try list(location, below: path, &names, found)
            case .typeRegular:
                let size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
                found(File(path: path, location: location, byteCount: size))
            case .typeSymbolicLink: throw refusal(location, "is a link; put the file itself there")
            default: throw refusal(location, "is not a file; remove it")
            }
        }
    }

    private static func names(in folder: String) throws(BundleError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw BundleError(
                .inputUnavailable,
                "\(Printable.line(folder)) is not a folder that can be read; name the folder of a bundle",
                cause: error
            )
        }
    }

    private static func path(_ name: String, at location: String) throws(BundleError) -> BundlePath {
        do {
            let path = try BundlePath(name)
            try PortableName.check(path)
            return path
        } catch {
            throw BundleError(.invalidArchive, "\(Printable.line(location)): \(error); rename it", cause: error)
        }
    }

    private static func refusal(_ location: String, _ problem: String) -> BundleError {
        BundleError(.invalidArchive, "\(Printable.line(location)) \(problem)")
    }
}
