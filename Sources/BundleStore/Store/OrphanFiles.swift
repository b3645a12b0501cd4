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

    /// Removes them when no process is writing, else leaves them to a later call.
    func removeUnlessBusy() throws {
        // Locking without a reason would make a writer in another process find the store busy.
        guard try !find().isEmpty, let lock = try FileLock(layout.lock(nil), .exclusive, waits: false) else { return }
        _ = try lock.whileHeld { try remove() }
    }

    /// Removes them and returns their sizes in bytes. Only right while the store is locked exclusively.
    @discardableResult
    func remove() throws -> [Int64] {
        try remove(find())
    }

    /// Removes the downloads that nobody has gone on with since `date`, and returns their sizes in bytes.
    func removeDownloads(notTouchedSince date: Date) throws -> [Int64] {
        try remove(files(in: layout.downloads).filter { $0.modifiedAt < date })
    }

    private func remove(_ files: [StoreFile]) throws -> [Int64] {
        try files.map { file in
            try Durable.remove(file.path)
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
        try FileManager.default.contentsOfDirectory(atPath: folder.string)
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
