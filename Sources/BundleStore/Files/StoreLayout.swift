import Foundation
import SystemPackage

/// The paths in the store's folder.
///
///     catalog.sqlite        which bundles and versions exist, which is active; with its log (-wal), which keeps room for
///                           1 MiB of changes, and the memory that its users share (-shm)
///     segments/ID.segment   concatenated contents
///     indexes/ID.index      one version's path → content table
///     cache/ID.body         a long body that came from the network
///     variants/DIGEST.br    a content in a coding; the folder is made when there is something to put into it
///     incoming/             files being written; nothing refers to them yet
///     downloads/            archives being fetched, kept to be resumed
///     locks/                empty files that writers lock (flock); readers need none
///
/// Only the catalog is changed in place. Files are created as ``Durable`` says. Files that a crash left in `incoming/`
/// are removed when the store is next opened for filling (`creating`); every unreferenced file is removed by the next
/// pruning, which follows each install and update.
package struct StoreLayout: Sendable {
    package let root: FilePath
    /// Looked at before each use of the catalog.
    package let catalog: FilePath

    package init(root: FilePath) {
        self.root = root
        catalog = Self.path("catalog.sqlite", in: root)
    }

    package var segments: FilePath { path("segments") }
    package var indexes: FilePath { path("indexes") }
    package var cache: FilePath { path("cache") }
    package var variants: FilePath { path("variants") }
    package var incoming: FilePath { path("incoming") }
    package var downloads: FilePath { path("downloads") }
    package var locks: FilePath { path("locks") }

    package var folders: [FilePath] { [segments, indexes, cache, incoming, downloads, locks] }

    /// What the store can't be read or changed without, as far as it is there and can be listed.
    var ownedPaths: [FilePath] {
        ["", "-wal", "-shm"].map { FilePath(catalog.string + $0) } + folders
            + [locks, indexes, segments].flatMap { folder in
                ((try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []).map {
                    Self.path($0, in: folder)
                }
            }
    }

    /// Whether something in the store's folder is the store's own, or of the file system that is mounted there.
    package func isOwn(name: String) -> Bool {
        let folders = folders + [variants]
        return name == "lost+found" || name.hasPrefix(catalog.lastName) || folders.contains { $0.lastName == name }
    }

    package func segment(_ identifier: FileIdentifier) -> FilePath {
        path("segments/\(identifier.name)\(Self.segmentSuffix)")
    }

    package func index(_ identifier: FileIdentifier) -> FilePath {
        path("indexes/\(identifier.name)\(Self.indexSuffix)")
    }

    package func body(_ identifier: FileIdentifier) -> FilePath {
        path("cache/\(identifier.name)\(Self.bodySuffix)")
    }

    package func download(_ key: DownloadKey) -> FilePath {
        path("downloads/\(key.name).part")
    }

    package func temporary(_ identifier: FileIdentifier) -> FilePath {
        path("incoming/\(identifier.name)")
    }

    /// The lock of one bundle, or of the store as a whole.
    package func lock(_ bundle: BundleName?) -> FilePath {
        // A bundle's name can't start with a dot, so the store's own lock can't collide with a bundle's.
        path("locks/" + (bundle.map { "\($0).lock" } ?? ".store.lock"))
    }

    var catalogLock: FilePath { path("locks/.catalog.lock") }

    package func updateLock(_ bundle: BundleName) -> FilePath {
        path("locks/.\(bundle).update.lock")
    }

    /// Held while a bundle's `precache` is fetched.
    func precacheLock(_ bundle: BundleName) -> FilePath {
        path("locks/.\(bundle).precache.lock")
    }

    /// Held, shared, by every endpoint that serves the store.
    var servingLock: FilePath { path("locks/.serving.lock") }

    private func path(_ relativePath: String) -> FilePath { Self.path(relativePath, in: root) }

    /// In one piece: appending to a path costs swift-system several times as much, in a debug build nearly a millisecond.
    private static func path(_ relativePath: String, in root: FilePath) -> FilePath {
        FilePath(root.isEmpty ? relativePath : "\(root.string)/\(relativePath)")
    }

    package static let segmentSuffix = ".segment"
    package static let indexSuffix = ".index"
    static let bodySuffix = ".body"
}

/// The random name of a file in the store: 128 bits, so that processes need not agree on a counter.
package struct FileIdentifier: Hashable, Sendable {
    package static let byteCount = 16

    package let value: UInt128

    package static func random() -> FileIdentifier {
        FileIdentifier(value: UInt128.random(in: .min ... .max))
    }

    /// 32 lower-case hexadecimal digits.
    package var name: String {
        withUnsafeBytes(of: value.bigEndian) { Hexadecimal.string(of: $0) }
    }

    /// Returns nil unless `name` is 32 lower-case hexadecimal digits: another spelling would denote another file.
    package init?(name: some StringProtocol) {
        guard let value = UInt128(name, radix: 16) else { return nil }
        self.value = value
        // UInt128 also accepts a sign, either case, and fewer digits.
        guard self.name.utf8.elementsEqual(name.utf8) else { return nil }
    }

    package init(value: UInt128) {
        self.value = value
    }
}

/// The store's own folders and files. Links among them aren't followed, so that writing and deleting stay inside the
/// store. The store's folder itself may be a link.
package enum StoreFolder {
    /// Whether the folder exists.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it isn't a folder; `Errno` when that
    ///   can't be determined.
    package static func exists(_ folder: FilePath) throws -> Bool {
        guard let type = try type(of: folder) else { return false }
        switch type {
        case .directory: return true
        case .symbolicLink:
            throw BundleError(
                .storeUnavailable,
                "\(folder) is a link, where the store has a folder of its own; replace it with a folder that holds the "
                    + "store's files"
            )
        default: throw BundleError(.storeUnavailable, "\(folder) is not a folder; move it away")
        }
    }

    /// Throws when an existing file is a link.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    static func checkIsNoLink(_ file: FilePath) throws {
        guard try type(of: file) == .symbolicLink else { return }
        throw BundleError(
            .storeUnavailable,
            "\(file) is a link, where the store has a file of its own; replace it with the file that it leads to"
        )
    }

    private static func type(of path: FilePath) throws -> FileType? {
        do {
            return try path.stat(followTargetSymlink: false).type
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }
}

extension StoreLayout {
    /// The length of a file in bytes; 0 for one that is missing.
    func byteCount(of file: FilePath) -> Int64 { (try? Int64(file.stat().size)) ?? 0 }
}
