import Foundation
import SystemPackage

/// The unreferenced files in the store, left behind by a crash, a removal or a replacement.
struct OrphanFiles {
    let layout: StoreLayout
    let catalog: Catalog

    /// The result of a removal.
    struct Removal {
        /// The sizes in bytes of the removed files.
        var byteCounts: [Int64] = []
        /// The sizes in bytes of the unreferenced segments and indexes that were kept because the store is damaged.
        var keptByteCounts: [Int64] = []
        /// The sizes in bytes of the downloads that were kept so that they can be resumed.
        var keptDownloadByteCounts: [Int64] = []
        /// The releases that can't be opened.
        var damage: [StoreDamage] = []
    }

    private struct StoreFile {
        let path: FilePath
        let byteCount: Int64
        let modifiedAt: Date
    }

    /// Whether there is a segment or an index, referenced or not.
    static func isThereContent(in layout: StoreLayout) throws -> Bool {
        try [layout.segments, layout.indexes].contains { folder in
            try StoreFolder.exists(folder) && !FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty
        }
    }

    /// Removes files that were left unfinished when a process ended, unless a process is writing; then a later call
    /// removes them.
    func removeUnfinishedUnlessBusy() throws {
        // Without a reason, taking the lock would make a writer in another process find the store busy.
        guard try !files(in: layout.incoming).isEmpty,
            let lock = try FileLock(layout.lock(nil), .exclusive, waits: false)
        else { return }
        try lock.whileHeld {
            for file in try files(in: layout.incoming) { try Durable.remove(file.path) }
        }
    }

    /// Removes the files. Only valid while the store is locked exclusively.
    ///
    /// Files that a release is read from are kept, whatever the catalog says. While any release can't be opened, all
    /// segments and indexes are kept: a damaged catalog may no longer know that they belong to it.
    ///
    /// - Parameters:
    ///   - date: Also removes the downloads that are not in use and were last written before this date; nil to keep
    ///     them all.
    ///   - progress: Called after each file with the bytes that are removed.
    @discardableResult
    func remove(
        withDownloadsBefore date: Date? = nil,
        _ progress: (ByteProgress) -> Void = { _ in }
    ) throws -> Removal {
        let snapshot = try SnapshotLoader.load(catalog, layout, previous: nil)
        var referenced = try catalog.referencedFiles()
        referenced.formUnion(snapshot.releases)
        let content =
            try files(in: layout.segments, except: referenced.segments, suffix: StoreLayout.segmentSuffix)
            + files(in: layout.indexes, except: referenced.indexes, suffix: StoreLayout.indexSuffix)
        let downloads = try files(in: layout.downloads)
        // Removed first: removing the others takes long, and meanwhile a download may come into use again.
        let abandoned = try downloads.filter { file in
            try date.map { file.modifiedAt < $0 } ?? false && DownloadFile.removeUnlessInUse(file.path)
        }
        let others =
            try files(in: layout.incoming)
            + files(in: layout.cache, except: referenced.bodies, suffix: StoreLayout.bodySuffix)
            + superfluousVariants(snapshot)
        var removal = Removal(damage: snapshot.damage)
        let abandonedPaths = Set(abandoned.map(\.path))
        removal.keptDownloadByteCounts =
            downloads
            .filter { !abandonedPaths.contains($0.path) && DownloadFile.download(ofValidator: $0.path) == nil }
            .map(\.byteCount)
        if removal.damage.isEmpty {
            if !content.isEmpty { catalog.connection.settle() }
            removal.byteCounts = try remove(content + others, progress)
        } else {
            removal.keptByteCounts = content.map(\.byteCount)
            removal.byteCounts = try remove(others, progress)
        }
        removal.byteCounts += abandoned.map(\.byteCount)
        return removal
    }

    /// The variants of contents that no release has. While a release can't be opened, its variants are kept.
    private func superfluousVariants(_ snapshot: StoreSnapshot) throws -> [StoreFile] {
        let files = try files(in: layout.variants, except: [])
        guard !files.isEmpty else { return [] }
        let contents = snapshot.contentDigests
        return files.filter { file in
            guard let key = VariantKey(fileName: file.path.lastName) else { return true }
            return snapshot.damage.isEmpty && !key.isNeeded(for: contents)
        }
    }

    private func remove(_ files: [StoreFile], _ progress: (ByteProgress) -> Void) throws -> [Int64] {
        let total = files.reduce(0) { $0 + $1.byteCount }
        var done: Int64 = 0
        return try files.map { file in
            try Durable.remove(file.path)
            done += file.byteCount
            progress(ByteProgress(done: done, total: total))
            return file.byteCount
        }
    }

    private func files(
        in folder: FilePath,
        except kept: Set<FileIdentifier> = [],
        suffix: String = ""
    ) throws -> [StoreFile] {
        guard try StoreFolder.exists(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.string)
            .filter { name in FileIdentifier(name: name.dropLast(suffix.count)).map { !kept.contains($0) } ?? true }
            .compactMap { Self.file(at: folder.appending($0)) }
    }

    private static func file(at path: FilePath) -> StoreFile? {
        // Without the lock a file may disappear between listing and stat. Folders aren't the store's own: some file
        // systems have a “lost+found”.
        // In a store that stands for another one, they are links.
        guard let status = try? path.stat(), status.type != .directory else { return nil }
        let modifiedAt = Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
        return StoreFile(path: path, byteCount: Int64(status.size), modifiedAt: modifiedAt)
    }
}

extension ReferencedFiles {
    /// Adds the files that `releases` are read from, which the catalog may have recorded wrongly.
    fileprivate mutating func formUnion(_ releases: [Release]) {
        for release in releases {
            indexes.insert(release.index.identifier)
            segments.formUnion(release.index.segments)
        }
    }
}
