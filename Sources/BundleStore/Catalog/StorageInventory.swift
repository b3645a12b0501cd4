import SystemPackage

/// What a store would hold after pruning, in the order in which it would be removed to make room. A value.
struct StorageInventory: Sendable {
    /// A cached response.
    struct Response: Sendable {
        let id: Int64
        let byteCount: Int64
    }

    /// A release.
    struct Holding: Sendable {
        let id: Int64
        /// Whether it is retained and not pinned.
        let isRemovable: Bool
        /// The bytes that are freed when it is removed after those before it.
        var byteCount: Int64
    }

    /// Oldest first.
    var responses: [Response] = []
    /// Least recently activated first.
    var releases: [Holding] = []

    /// The total number of bytes.
    var byteCount: Int64 {
        responses.reduce(0) { $0 + $1.byteCount } + releases.reduce(0) { $0 + $1.byteCount }
    }
}

extension StorageInventory {
    /// Determines from the indexes what is freed with each release: contents that no release refers to are freed when
    /// their segment is compacted. A release that can't be opened counts with its whole segments.
    init(_ files: StorageFiles, in layout: StoreLayout) {
        responses = files.responses
        releases = files.releases.map { release in
            Holding(
                id: release.id,
                isRemovable: release.isRemovable,
                byteCount: files.indexByteCount(of: release, in: layout)
            )
        }
        let indexes = files.releases.map { $0.index.flatMap { try? VersionIndex($0, in: layout) } }
        let segments = Set(files.releases.flatMap(\.segments) + indexes.flatMap { $0?.segments ?? [] })
        for segment in segments {
            let users = files.releases.indices.filter { number in
                indexes[number].map { $0.segments.contains(segment) }
                    ?? files.releases[number].segments.contains(segment)
            }
            let owner = users.last { indexes[$0] == nil }
            add(segment, of: users, ownedBy: owner, indexes, byteCount: layout.byteCount(of: layout.segment(segment)))
        }
    }

    /// - Parameter owner: The last of the releases that refer to the whole segment, if there is one.
    private mutating func add(
        _ segment: FileIdentifier,
        of users: [Int],
        ownedBy owner: Int?,
        _ indexes: [VersionIndex?],
        byteCount: Int64
    ) {
        guard let last = users.last else { return }
        let opened = users.compactMap { number in indexes[number].map { (number, $0) } }
        var parts: [Int: Int64] = [:]
        var rest = byteCount
        do {
            let contents = SegmentContents(segment: segment, indexes: opened.map(\.1))
            try contents.forEachExtent(within: Int(clamping: byteCount)) { byteCount, uses in
                guard let use = uses.last else { return }
                parts[max(opened[Int(use.release)].0, owner ?? 0), default: 0] += Int64(byteCount)
                rest -= Int64(byteCount)
            }
        } catch {
            // A segment that can't be read can't be compacted.
            (parts, rest) = ([:], 0)
            releases[last].byteCount += byteCount
        }
        for (number, byteCount) in parts { releases[number].byteCount += byteCount }
        if let owner {
            releases[owner].byteCount += rest
        } else if let last = parts.keys.max() {
            releases[last].byteCount += Int64(SegmentFormat.headerByteCount)
        }
    }
}

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
