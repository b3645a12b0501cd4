import BundleStore

/// The files below a folder that is to be packed.
struct FolderContents {
    struct File {
        let path: BundlePath
        /// Its location. The name on disk may have another Unicode normalisation form than the path. Nil when it isn't on the
        /// disk.
        let location: String?
        /// The number of bytes on the disk.
        let storedByteCount: Int64
        /// What follows these bytes.
        let end: [UInt8]

        init(_ path: BundlePath, at location: String, byteCount: Int64, end: [UInt8] = []) {
            (self.path, self.location, storedByteCount, self.end) = (path, location, byteCount, end)
        }

        init(_ path: BundlePath, content: [UInt8]) {
            (self.path, location, storedByteCount, end) = (path, nil, 0, content)
        }

        /// The number of bytes that are packed.
        var byteCount: Int64 { storedByteCount + Int64(end.count) }
    }

    /// Ordered by the bytes of the paths, so that the same files produce the same archive.
    let files: [File]
    /// The files and folders that were left out, in the same order; the folders end in a slash.
    let leftOut: [String]

    /// Lists the files at any depth.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when there is no file, or something that
    ///   couldn't be installed: a link, a device, a name that isn't allowed, two names that are equal after
    ///   normalisation or differ only in case, what looks like a secret; the error names all of them. `inputUnavailable` when a
    ///   folder can't be read.
    init(of folder: String, _ selection: FileSelection) throws(BundleError) {
        var walk = FolderWalk(selection)
        try walk.list(folder, below: nil)
        if let refusal = walk.refusal { throw refusal }
        guard !walk.files.isEmpty else {
            throw BundleError(
                .invalidArchive,
                "\(Printable.line(folder)) has no file in it; name the folder of a bundle"
            )
        }
        files = walk.files.sorted { $0.path < $1.path }
        leftOut = walk.leftOut.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private init(_ files: [File], leftOut: [String]) {
        self.files = files
        self.leftOut = leftOut
    }

    /// The manifest, the files of a list, and others.
    func keeping(_ list: IncludeList, and others: Set<BundlePath>) -> FolderContents {
        let kept = files.filter {
            $0.path.string == BundleManifest.fileName || others.contains($0.path) || list.includes($0.path)
        }
        return FolderContents(kept, leftOut: leftOut)
    }

    /// The same with what options add.
    func adding(_ addition: PackAddition) -> FolderContents {
        let files = files.map { file in
            let isPage = ["html", "htm"].contains(file.path.fileExtension)
            guard isPage, let location = file.location else { return file }
            return File(file.path, at: location, byteCount: file.storedByteCount, end: addition.pageEnd)
        }
        return FolderContents(files, leftOut: leftOut).adding(File(addition.path, content: addition.content))
    }

    /// The same with another file, which takes the place of one with its path.
    func adding(_ file: File) -> FolderContents {
        let position = files.firstIndex { file.path < $0.path || file.path == $0.path } ?? files.endIndex
        let isThere = position < files.endIndex && files[position].path == file.path
        var files = files
        files.replaceSubrange(position..<(isThere ? position + 1 : position), with: [file])
        return FolderContents(files, leftOut: leftOut)
    }
}

/// What is packed besides a folder's files.
package struct PackAddition: Sendable {
    let path: BundlePath
    let content: [UInt8]
    let pageEnd: [UInt8]

    /// - Parameters:
    ///   - path: The path of a file; one in the folder gives way to it.
    ///   - content: The file's bytes.
    ///   - pageEnd: What each HTML file gets at its end.
    package init(path: BundlePath, content: [UInt8], pageEnd: [UInt8]) {
        self.path = path
        self.content = content
        self.pageEnd = pageEnd
    }
}
