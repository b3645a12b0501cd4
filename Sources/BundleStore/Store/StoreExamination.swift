import Foundation
import GRDB
import SystemPackage

/// Looks at a store that may be damaged, absent, too new or in use, and changes nothing.
package struct StoreExamination: Sendable {
    /// The most problems of a catalog that are listed.
    private static let maximumProblemCount = 10

    private let layout: StoreLayout

    /// - Parameter path: The store's folder.
    package init(at path: String) {
        layout = StoreLayout(root: FilePath(path))
    }

    /// The store's folder, and what of its own is in it.
    package var places: [String] {
        ([layout.root] + layout.ownedPaths).map(\.string)
    }

    /// The folder that the store's is in.
    package var parent: String {
        let parent = URL(fileURLWithPath: layout.root.string).deletingLastPathComponent().path
        return parent.isEmpty ? "/" : parent
    }

    /// The number of bytes in the catalog's log; 0 when there is none.
    package var logByteCount: Int64 { layout.byteCount(of: FilePath(layout.catalog.string + "-wal")) }

    /// Opens the store to look at it.
    ///
    /// - Throws: ``/BundleModel/BundleError``, as opening it throws; with code `storeUnavailable` also for a store of an
    ///   earlier format, which isn't converted.
    package func open() throws -> BundleStore {
        try BundleStore(at: layout.root.string, isExamined: true, clock: SuspendingClock(), survivesFaults: true)
    }

    /// What SQLite finds wrong with the catalog, up to ten lines; none when it is sound. Reads all of it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` or `storeDamaged` when it can't be read.
    package func catalogProblems() throws -> [String] {
        try StoreAccess.run(at: layout.root.string) {
            let lines = try CatalogFile.openForReading(layout.catalog).read { database in
                guard try Int.fetchOne(database, sql: "PRAGMA user_version") != 0 else { return ["it has no tables"] }
                return try String.fetchAll(database, sql: "PRAGMA integrity_check(\(Self.maximumProblemCount))")
            }
            return lines == ["ok"] ? [] : lines
        }
    }

    /// Whether a process is changing the store; nil when that can't be told.
    package var isBusy: Bool? { isLocked(layout.lock(nil)) }

    /// Whether a server is serving the store; nil when that can't be told.
    package var isServed: Bool? { isLocked(layout.servingLock) }

    /// The sizes in bytes of what is being written or downloaded, and of what nobody uses of that.
    ///
    /// - Throws: `Errno` or Foundation's error when the folders can't be read.
    package func transientFiles() throws -> (byteCount: Int64, abandonedByteCount: Int64) {
        let files = try TransientFiles(in: layout)
        return (files.byteCount, files.abandonedByteCount)
    }

    /// The lock isn't made where it isn't there.
    private func isLocked(_ path: FilePath) -> Bool? {
        guard let isThere = try? Durable.exists(path) else { return nil }
        guard isThere else { return false }
        do { return try FileLock(path, .exclusive, waits: false) == nil } catch { return nil }
    }
}
