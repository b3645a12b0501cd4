import Foundation
import SystemPackage

/// The files in the store that nothing refers to: what a crash, a removal or a replacement left behind.
struct OrphanFiles {
    let layout: StoreLayout
    let catalog: Catalog

    /// What a removal did.
    struct Removal {
        /// The sizes in bytes of the files that are gone.
        var byteCounts: [Int64] = []
        /// The sizes in bytes of the segments and indexes that nothing refers to and that stay, since the store is damaged.
        var keptByteCounts: [Int64] = []
        /// The sizes in bytes of the downloads that were kept to be resumed.
        var keptDownloadByteCounts: [Int64] = []
        /// What can't be opened.
        var damage: [StoreDamage] = []
    }

    private struct StoreFile {
        let path: FilePath
        let byteCount: Int64
        let modifiedAt: Date
    }

    /// Whether there is a segment or an index, referred to or not.
    static func isThereContent(in layout: StoreLayout) throws -> Bool {
        try [layout.segments, layout.indexes].contains { folder in
            try StoreFolder.exists(folder) && !FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty
        }
    }

    /// Removes what was being written when a process ended, when no process is writing; else leaves it to a later call.
    func removeUnfinishedUnlessBusy() throws {
        // Locking without a reason would make a writer in another process find the store busy.
        guard try !files(in: layout.incoming).isEmpty,
            let lock = try FileLock(layout.lock(nil), .exclusive, waits: false)
        else { return }
        try lock.whileHeld {
            for file in try files(in: layout.incoming) { try Durable.remove(file.path) }
        }
    }

    /// Removes them. Only right while the store is locked exclusively.
    ///
    /// What a release is read from stays, whatever the catalog says of it. While there are releases that can't be opened,
    /// segments and indexes all stay: when it is the catalog that is damaged, it may be theirs that it doesn't know.
    ///
    /// - Parameters:
    ///   - date: Also removes the downloads that are not in use and were last written to before it; none when nil.
    ///   - progress: Called after each file with the bytes removed so far and the bytes in all.
    @discardableResult
    func remove(
        withDownloadsBefore date: Date? = nil,
        _ progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> Removal {
        let snapshot = try SnapshotLoader.load(catalog, layout, previous: nil)
        var referenced = try catalog.referencedFiles()
        referenced.formUnion(snapshot.releases)
        let content =
            try files(in: layout.segments, except: referenced.segments, suffix: StoreLayout.segmentSuffix)
            + files(in: layout.indexes, except: referenced.indexes, suffix: StoreLayout.indexSuffix)
        let downloads = try files(in: layout.downloads)
        // At once: removing the others takes long, and meanwhile a download may be taken into use again.
        let abandoned = try downloads.filter { file in
            try date.map { file.modifiedAt < $0 } ?? false && DownloadFile.removeUnlessInUse(file.path)
        }
        let others =
            try files(in: layout.incoming)
            + files(in: layout.cache, except: referenced.bodies, suffix: StoreLayout.bodySuffix)
            + superfluousVariants(snapshot)
        var removal = Removal(damage: snapshot.damage)
        let abandonedPaths = Set(abandoned.map(\.path))
        removal.keptDownloadByteCounts = downloads.filter { !abandonedPaths.contains($0.path) }.map(\.byteCount)
        if removal.damage.isEmpty {
            if !content.isEmpty { catalog.settle() }
            removal.byteCounts = try remove(content + others, progress)
        } else {
            removal.keptByteCounts = content.map(\.byteCount)
            removal.byteCounts = try remove(others, progress)
        }
        removal.byteCounts += abandoned.map(\.byteCount)
        return removal
    }

    /// Those of contents that no release has. While a release can't be opened, its variants wait for it.
    private func superfluousVariants(_ snapshot: StoreSnapshot) throws -> [StoreFile] {
        let files = try files(in: layout.variants, except: [])
        guard !files.isEmpty else { return [] }
        let contents = snapshot.contentDigests
        return files.filter { file in
            guard let key = VariantKey(fileName: file.path.lastName) else { return true }
            return snapshot.damage.isEmpty && !key.isNeeded(for: contents)
        }
    }

    private func remove(_ files: [StoreFile], _ progress: (Int64, Int64) -> Void) throws -> [Int64] {
        let total = files.reduce(0) { $0 + $1.byteCount }
        var done: Int64 = 0
        return try files.map { file in
            try Durable.remove(file.path)
            done += file.byteCount
            progress(done, total)
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
        // Without the lock a file may go between listing and looking. A folder was put there by someone else: some file
        // systems have a “lost+found”.
        guard let status = try? path.stat(followTargetSymlink: false), status.type != .directory else { return nil }
        let modifiedAt = Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
        return StoreFile(path: path, byteCount: Int64(status.size), modifiedAt: modifiedAt)
    }
}
