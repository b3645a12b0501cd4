import Foundation
import SystemPackage

/// The files in the store that nothing refers to: what a crash, a removal or a replacement left behind.
struct OrphanFiles {
    let layout: StoreLayout
    let catalog: Catalog

    private struct StoreFile {
        let path: FilePath
        let byteCount: Int64
        let modifiedAt: Date
    }

    /// Whether there is a segment or an index, referred to or not.
    static func isThereContent(in layout: StoreLayout) throws -> Bool {
        try [layout.segments, layout.indexes].contains { folder in
            try Durable.exists(folder) && !FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty
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

    /// Removes them and returns their sizes in bytes. Only right while the store is locked exclusively.
    ///
    /// - Parameters:
    ///   - date: Removes the downloads too that nobody has gone on with since then; none when nil.
    ///   - progress: Called after each file with the bytes removed so far and the bytes in all.
    @discardableResult
    func remove(
        withDownloadsBefore date: Date? = nil,
        _ progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> [Int64] {
        let downloads = try date.map { date in try files(in: layout.downloads).filter { $0.modifiedAt < date } }
        let superfluous = try find() + (downloads ?? [])
        let total = superfluous.reduce(0) { $0 + $1.byteCount }
        var done: Int64 = 0
        return try superfluous.map { file in
            try Durable.remove(file.path)
            done += file.byteCount
            progress(done, total)
            return file.byteCount
        }
    }

    private func find() throws -> [StoreFile] {
        let referenced = try catalog.referencedFiles()
        return try files(in: layout.incoming)
            + files(in: layout.segments, except: referenced.segments, suffix: StoreLayout.segmentSuffix)
            + files(in: layout.indexes, except: referenced.indexes, suffix: StoreLayout.indexSuffix)
            + files(in: layout.cache, except: referenced.bodies, suffix: StoreLayout.bodySuffix)
    }

    private func files(in folder: FilePath, except kept: Set<String> = [], suffix: String = "") throws -> [StoreFile] {
        guard try Durable.exists(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.string)
            .filter { !kept.contains(String($0.dropLast(suffix.count))) }
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
