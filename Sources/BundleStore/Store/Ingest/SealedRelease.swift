/// The files of a release that is completely written and checked, but in no catalog yet. A commit uses it up.
///
/// Not thread-safe. If it is released without a commit, what was written is removed.
public struct SealedRelease: ~Copyable {
    let files: IngestedFiles
    private var strippedByteCount = 0

    init(_ files: IngestedFiles) {
        self.files = files
    }

    /// The number of files, including those that links stand for.
    public var fileCount: Int { files.fileCount }
    /// The sum of the files' lengths in bytes.
    public var byteCount: UInt64 { files.byteCount }
    /// The folder that contains every file, if there is one that isn't stripped.
    package var topFolder: String? {
        guard strippedByteCount == 0, let folder = files.topFolder, !folder.isEmpty else { return nil }
        return String(decoding: folder.dropLast(), as: UTF8.self)
    }
    /// The number of content bytes that the store didn't have before.
    package var newByteCount: UInt64 { files.writer.newByteCount }

    /// As ``Release/filesDigest()``.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func filesDigest() throws -> Digest {
        try BundleStore.accessing(files.store.path) { try contentDigest([]) }
    }

    /// Removes a folder that contains every file from all the paths.
    ///
    /// - Returns: False, with nothing changed, when a file lies outside the folder.
    package mutating func stripFolder(_ folder: String) -> Bool {
        let prefix = Array((folder + "/").utf8)
        guard files.topFolder == prefix else { return false }
        strippedByteCount = prefix.count
        return true
    }

    /// The members of `paths` that are files.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func files(among paths: Set<BundlePath>) throws -> Set<BundlePath> {
        var found: Set<BundlePath> = []
        guard !paths.isEmpty else { return found }
        let byteCounts = Set(paths.map(\.string.utf8.count))
        try BundleStore.accessing(files.store.path) {
            try forEachFile { path, _ in
                guard byteCounts.contains(path.count) else { return }
                let path = BundlePath(valid: String(decoding: path, as: UTF8.self))
                if paths.contains(path) { found.insert(path) }
            }
        }
        return found
    }

    /// The paths of all files, in the order of their bytes; none when they aren't needed.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func paths(unless isUnneeded: Bool) throws -> [BundlePath] {
        var paths: [BundlePath] = []
        guard !isUnneeded else { return paths }
        try BundleStore.accessing(files.store.path) {
            try forEachFile { path, _ in paths.append(BundlePath(valid: String(decoding: path, as: UTF8.self))) }
        }
        return paths
    }

    /// The content of the file at `path`, including one that a link stands for; nil when there is no such file.
    ///
    /// - Parameters:
    ///   - path: A file's path in the bundle.
    ///   - maximumByteCount: The maximum number of bytes to return.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    package func content(of path: BundlePath, atMost maximumByteCount: Int) throws -> [UInt8]? {
        var path = path.string
        return try BundleStore.accessing(files.store.path) {
            var found: ContentLocation?
            try path.withUTF8 { wanted in
                try forEachFile { path, content in
                    if path.hasSameBytes(as: UnsafeRawBufferPointer(wanted)) { found = files.location(of: content) }
                }
            }
            return try found.map { try files.writer.read($0, atMost: maximumByteCount) }
        }
    }

    /// Calls `body` for each file in the order of the paths' bytes, with a path that is valid only during the call.
    func forEachFile(_ body: (_ path: UnsafeRawBufferPointer, IngestContent) throws -> Void) throws {
        let strippedByteCount = strippedByteCount
        try files.forEach { path, content in
            try body(UnsafeRawBufferPointer(rebasing: path[strippedByteCount...]), content)
        }
    }
}
