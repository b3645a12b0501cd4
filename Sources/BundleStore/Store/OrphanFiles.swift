import Foundation
import SystemPackage

/// The files in the store that nothing refers to: what a crash, a removal or a replacement left behind.
struct OrphanFiles {
    let layout: StoreLayout
    let catalog: Catalog

    /// Removes them when no process is writing, else leaves them to a later call.
    func removeUnlessBusy() throws {
        guard let lock = try FileLock(layout.lock(nil), .exclusive, waits: false) else { return }
        _ = try lock.whileHeld { try remove() }
    }

    /// Removes them and returns their sizes in bytes. Only right while the store is locked exclusively.
    @discardableResult
    func remove() throws -> [Int64] {
        let referenced = try catalog.referencedFiles()
        let orphans =
            try files(in: layout.incoming)
            + files(in: layout.segments, except: referenced.segments, suffix: StoreLayout.segmentSuffix)
            + files(in: layout.indexes, except: referenced.indexes, suffix: StoreLayout.indexSuffix)
            + files(in: layout.cache, except: referenced.bodies, suffix: StoreLayout.bodySuffix)
        return try orphans.compactMap { file in
            let status = try file.stat(followTargetSymlink: false)
            // A folder was put there by someone else: some file systems have a “lost+found”.
            guard status.type != .directory else { return nil }
            try Durable.remove(file)
            return Int64(status.size)
        }
    }

    private func files(in folder: FilePath, except kept: Set<String> = [], suffix: String = "") throws -> [FilePath] {
        try FileManager.default.contentsOfDirectory(atPath: folder.string)
            .filter { !kept.contains(String($0.dropLast(suffix.count))) }
            .map(folder.appending)
    }
}
