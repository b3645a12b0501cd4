import SystemPackage

/// Where things are in the store's folder.
///
///     catalog.sqlite        which bundles and versions exist, which is active; with its log (-wal), which keeps room for
///                           1 MiB of changes, and the memory that its users share (-shm)
///     segments/ID.segment   concatenated contents
///     indexes/ID.index      one version's path → content table
///     cache/ID.body         a body that came from the network
///     variants/DIGEST.br    a content in a coding; the folder is made when there is something to put into it
///     incoming/             files being written; nothing refers to them yet
///     downloads/            archives being fetched, kept to be resumed
///     locks/                empty files that writers lock (flock); readers need none
///
/// Nothing is changed in place but the catalog. Files come about as ``Durable`` says. Those in `incoming/` that a crash left
/// are removed when the store is next opened to be filled (`creating`), and every file that nothing refers to by the next
/// pruning, which follows each install and update.
struct StoreLayout: Sendable {
    let root: FilePath

    var catalog: FilePath { root.appending("catalog.sqlite") }
    var segments: FilePath { root.appending("segments") }
    var indexes: FilePath { root.appending("indexes") }
    var cache: FilePath { root.appending("cache") }
    var variants: FilePath { root.appending("variants") }
    var incoming: FilePath { root.appending("incoming") }
    var downloads: FilePath { root.appending("downloads") }
    var locks: FilePath { root.appending("locks") }

    var folders: [FilePath] { [segments, indexes, cache, incoming, downloads, locks] }

    func segment(_ identifier: FileIdentifier) -> FilePath {
        segments.appending(identifier.name + Self.segmentSuffix)
    }

    func index(_ identifier: FileIdentifier) -> FilePath {
        indexes.appending(identifier.name + Self.indexSuffix)
    }

    func body(_ identifier: FileIdentifier) -> FilePath {
        cache.appending(identifier.name + Self.bodySuffix)
    }

    func download(_ digest: Digest) -> FilePath {
        downloads.appending(digest.hex + ".part")
    }

    func temporary(_ identifier: FileIdentifier) -> FilePath {
        incoming.appending(identifier.name)
    }

    /// The lock of one bundle, or of the store as a whole.
    func lock(_ bundle: BundleName?) -> FilePath {
        // A dot can't start a bundle's name, so the store's own lock can't collide with a bundle's.
        locks.appending(bundle.map { "\($0).lock" } ?? ".store.lock")
    }

    var catalogLock: FilePath { locks.appending(".catalog.lock") }

    func updateLock(_ bundle: BundleName) -> FilePath {
        locks.appending(".\(bundle).update.lock")
    }

    static let segmentSuffix = ".segment"
    static let indexSuffix = ".index"
    static let bodySuffix = ".body"
}
