import BundleArchive
import BundleStore

/// The files of an archive, on their way into the store, and the manifest found among them.
struct ArchiveContents {
    let ingest: ReleaseIngest
    private(set) var manifest: [UInt8]?
    /// How many files were read and not taken, because macOS keeps them for itself.
    private(set) var leftOutCount = 0

    private let archive: String
    private var folders: Set<String> = []
    private var manifestsByPath: [BundlePath: [UInt8]] = [:]

    private static let bufferByteCount = 1 << 18

    /// Reads the archive at `path` to its end.
    ///
    /// - Throws: `ArchiveError`, ``BundleStore/BundleError``, or `CancellationError`.
    init(
        reading path: String,
        limits: ArchiveLimits,
        store: BundleStore,
        waits: Bool,
        _ progress: (Int64) -> Void
    ) throws {
        archive = path
        let reader = try ArchiveReader(path: path, limits: limits)
        ingest = try store.beginIngest(waits: waits)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferByteCount, alignment: 16)
        defer { buffer.deallocate() }
        while let entry = try reader.nextEntry() {
            try Task.checkCancellation()
            try add(entry, from: reader, buffer, progress)
        }
        try checkFolders()
        takeManifest()
    }

    private mutating func add(
        _ entry: ArchiveEntry,
        from reader: ArchiveReader,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ progress: (Int64) -> Void
    ) throws {
        let path = try self.path(of: entry)
        switch entry.kind {
        case .directory:
            if let path, !MacOSMetadata.includes(path) { folders.insert(path.string) }
        case .file:
            guard let path else { throw refusal(entry, "has no name") }
            if MacOSMetadata.includes(path) {
                // Read all the same: only what was read is known to be sound.
                try Self.readChunks(of: reader, buffer, progress) { _ in }
                leftOutCount += 1
            } else {
                try addFile(path, from: reader, buffer, progress)
            }
        case .symbolicLink(let target), .hardLink(let target):
            throw refusal(entry, "is a link to “\(Printable.text(target))”; pack the file itself")
        case .special(let type):
            throw refusal(entry, "is a \(type), not a file; pack the archive without it")
        }
    }

    /// Nil for the folder `./`, which stands for the archive's root.
    private func path(of entry: ArchiveEntry) throws -> BundlePath? {
        let name = Self.withoutLeadingDots(entry.name)
        if entry.kind == .directory, name.isEmpty || name == "." { return nil }
        do {
            return try BundlePath(name)
        } catch {
            throw BundleError(
                .invalidArchive,
                "\(archive): entry \(error); nothing was installed; pack the archive anew from a clean folder",
                cause: error
            )
        }
    }

    /// tar writes `./` in front of every name when it is given the folder `.`, some write `.//` for `./`.
    private static func withoutLeadingDots(_ name: String) -> String {
        var rest = name.utf8[...]
        while rest.starts(with: "./".utf8) {
            rest = rest.dropFirst(2).drop { $0 == UInt8(ascii: "/") }
        }
        return String(Substring(rest))
    }

    private mutating func addFile(
        _ path: BundlePath,
        from reader: ArchiveReader,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ progress: (Int64) -> Void
    ) throws {
        let mayBeManifest = mayBeManifest(path)
        var manifest: [UInt8] = []
        try Self.readChunks(of: reader, buffer, progress) { bytes in
            try ingest.append(bytes)
            // One byte over the limit is kept, so that the parser can say that it is too long.
            if mayBeManifest, manifest.count <= BundleManifest.maximumByteCount { manifest.append(contentsOf: bytes) }
        }
        guard try ingest.endFile(path) else {
            throw BundleError(
                .invalidArchive,
                "\(archive): “\(Printable.text(path.string))” comes twice; nothing was installed; pack it once"
            )
        }
        if mayBeManifest { manifestsByPath[path] = manifest }
    }

    /// Reads the current entry to its end, unless the task is cancelled.
    private static func readChunks(
        of reader: ArchiveReader,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ progress: (Int64) -> Void,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        while case let count = try reader.read(into: buffer), count > 0 {
            try Task.checkCancellation()
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            progress(reader.bytesConsumed)
        }
    }

    private func mayBeManifest(_ path: BundlePath) -> Bool {
        guard path.lastComponent == BundleManifest.fileName else { return false }
        let depth = path.components.count
        // A second folder's manifest is only kept to know that there are two; a thousand would fill the memory.
        return depth == 1 || depth == 2 && manifestsByPath.count < 2
    }

    /// A path can't be a file and a folder at once.
    private func checkFolders() throws {
        for folder in allFolders {
            guard let path = try? BundlePath(folder), ingest.contains(path) else { continue }
            throw BundleError(
                .invalidArchive,
                "\(archive): “\(Printable.text(folder))” is a file and a folder; nothing was installed; rename one of them"
            )
        }
    }

    /// The folders that the archive lists, and those that its paths lead through.
    private var allFolders: Set<String> {
        var found: Set<String> = []
        func insert(_ folder: Substring) {
            // Once a folder is known, so are those above it.
            guard found.insert(String(folder)).inserted else { return }
            if let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) { insert(folder[..<slash]) }
        }
        for folder in folders { insert(folder[...]) }
        for path in ingest.paths {
            if let slash = path.string.utf8.lastIndex(of: UInt8(ascii: "/")) { insert(path.string[..<slash]) }
        }
        return found
    }

    /// Finds the manifest at the root, or in the single top folder, which is then taken off all the paths.
    private mutating func takeManifest() {
        if let root = manifestsByPath.first(where: { $0.key.components.count == 1 }) {
            manifest = root.value
        } else if manifestsByPath.count == 1, let nested = manifestsByPath.first,
            ingest.stripFolder(String(nested.key.components[0]))
        {
            manifest = nested.value
        }
    }

    private func refusal(_ entry: ArchiveEntry, _ problem: String) -> BundleError {
        BundleError(
            .invalidArchive,
            "\(archive): entry “\(Printable.text(entry.name))” \(problem); nothing was installed"
        )
    }
}
