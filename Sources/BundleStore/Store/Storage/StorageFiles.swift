import SystemPackage

/// The files that the catalog refers to, in the order in which they would be removed to make room. A value.
struct StorageFiles: Sendable {
    /// The files of a release.
    struct Release: Sendable {
        let id: Int64
        /// Nil when the catalog's row is damaged.
        let index: FileIdentifier?
        let segments: Set<FileIdentifier>
        /// Whether it is retained and not pinned.
        let isRemovable: Bool
    }

    /// Removable releases first, and among them the least recently activated first.
    var releases: [Release] = []
    /// Oldest first.
    var responses: [StorageInventory.Response] = []

    /// The total size in bytes; a file that several releases share counts once.
    func byteCount(in layout: StoreLayout) -> Int64 {
        contentByteCount(in: layout) + responses.reduce(0) { $0 + $1.byteCount }
    }

    /// The bytes of the releases' files.
    func contentByteCount(in layout: StoreLayout) -> Int64 {
        Set(releases.flatMap(\.segments)).reduce(0) { $0 + layout.byteCount(of: layout.segment($1)) }
            + releases.reduce(0) { $0 + indexByteCount(of: $1, in: layout) }
    }

    func indexByteCount(of release: Release, in layout: StoreLayout) -> Int64 {
        release.index.map { layout.byteCount(of: layout.index($0)) } ?? 0
    }
}

extension StoreLayout {
    /// The length of a file in bytes; 0 for one that is missing.
    func byteCount(of file: FilePath) -> Int64 { (try? Int64(file.stat().size)) ?? 0 }
}
