import Foundation
import SystemPackage

/// The files in the store that nothing refers to: what a crash, a removal or a replacement left behind.
struct OrphanFiles {
    let layout: StoreLayout
    let catalog: Catalog

    /// Removes them when no process is writing, else leaves them to a later call.
    func removeUnlessBusy() throws {
        // Locking without a reason would make a writer in another process find the store busy.
        guard try !find().isEmpty, let lock = try FileLock(layout.lock(nil), .exclusive, waits: false) else { return }
        _ = try lock.whileHeld { try remove() }
    }

    /// Removes them and returns their sizes in bytes. Only right while the store is locked exclusively.
    @discardableResult
    func remove() throws -> [Int64] {
        try find().map { file, byteCount in
            try Durable.remove(file)
            return byteCount
        }
    }

    private func find() throws -> [(file: FilePath, byteCount: Int64)] {
        let referenced = try catalog.referencedFiles()
        let candidates =
            try files(in: layout.incoming)
            + files(in: layout.segments, except: referenced.segments, suffix: StoreLayout.segmentSuffix)
            + files(in: layout.indexes, except: referenced.indexes, suffix: StoreLayout.indexSuffix)
            + files(in: layout.cache, except: referenced.bodies, suffix: StoreLayout.bodySuffix)
        return candidates.compactMap { file in
            // Without the lock a file may go between listing and looking. A folder was put there by someone else: some
            // file systems have a “lost+found”.
            guard let status = try? file.stat(followTargetSymlink: false), status.type != .directory else { return nil }
            return (file, Int64(status.size))
        }
    }

    private func files(in folder: FilePath, except kept: Set<String> = [], suffix: String = "") throws -> [FilePath] {
        try FileManager.default.contentsOfDirectory(atPath: folder.string)
            .filter { !kept.contains(String($0.dropLast(suffix.count))) }
            .map(folder.appending)
    }
}
