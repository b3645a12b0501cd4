import SystemPackage

/// The files that the catalog refers to, in the order in which they would be given up for something new. A value.
struct StorageFiles: Sendable {
    /// Those of a release.
    struct Release: Sendable {
        let id: Int64
        /// Nil when the catalog's row is damaged.
        let index: FileIdentifier?
        let segments: Set<FileIdentifier>
        /// Whether it is retained and not pinned.
        let isRemovable: Bool
    }

    /// Those that may go first, and of those the one whose activation is longest ago.
    var releases: [Release] = []
    /// The oldest first.
    var responses: [StorageInventory.Response] = []

    /// The bytes of all of them, a file that several releases need counted once.
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
