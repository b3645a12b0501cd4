import Foundation
import SystemPackage

/// Finds or makes a store in a folder, and opens its catalog.
package struct StoreOpening {
    let layout: StoreLayout
    /// The store's folder, as errors name it.
    let path: String
    /// Whether the store is made when there is none.
    let creating: Bool

    /// Checks that there is a store, or that one may be made.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    func check() throws {
        if creating {
            try StoreAccess.run(at: path) { try checkIsFree() }
        } else if try !isThere() {
            let problem = try StoreAccess.run(at: path) { try foreignName() }.map {
                "\(path) isn't a store, and can't become one, because it has \(Printable.text($0)); name another folder"
            }
            throw BundleError(
                .storeUnavailable,
                problem ?? "there is no store in \(path); install a bundle to make one"
            )
        }
    }

    /// False only when the store doesn't exist; a folder that can't be read throws.
    private func isThere() throws -> Bool {
        try StoreAccess.run(at: layout.root.string) {
            try Durable.exists(layout.catalog) || OrphanFiles.isThereContent(in: layout)
        }
    }

    /// Refuses to make a store among files that aren't a store's, such as in `/etc`: pruning would remove some of them.
    private func checkIsFree() throws {
        guard let other = try foreignName() else { return }
        throw BundleError(
            .storeUnavailable,
            "\(layout.root) is neither empty nor a store: it has \(Printable.text(other)); name an empty folder, or one that "
                + "doesn't exist yet"
        )
    }

    /// A file's name in a folder that isn't a store, and has more than a store's files; nil otherwise.
    private func foreignName() throws -> String? {
        guard try Durable.exists(layout.root), try layout.root.stat().type == .directory,
            try !Durable.exists(layout.catalog)
        else { return nil }
        return try FileManager.default.contentsOfDirectory(atPath: layout.root.string).first { !layout.isOwn(name: $0) }
    }

    /// Creates the missing folders. A read-only store that lacks one is still read.
    func makeFolders() throws {
        let isMissing = try isRootMissing()
        let missing = try layout.folders.filter { try !StoreFolder.exists($0) }
        _ = try StoreFolder.exists(layout.variants)
        for suffix in ["", "-wal", "-shm"] {
            try StoreFolder.checkIsNoLink(FilePath(layout.catalog.string + suffix))
        }
        do {
            if isMissing { try Durable.makeFolder(layout.root) }
            // The folder of a new store may be the app's.
            if try !Durable.exists(layout.catalog) { setAttributes() }
            try Durable.makeFolders(missing, in: layout.root)
        } catch {
            if creating { throw error }
        }
    }

    /// Keeps the store out of backups, since bundles can be installed again, and lets its files be used as soon as the device
    /// has been unlocked once, by work in the background too. All that is made in the folder inherits that class (Apple, “Encrypting
    /// your app's files”). Other systems than Apple's have neither.
    private func setAttributes() {
        #if canImport(Darwin)
            var (url, values) = (URL(filePath: layout.root.string, directoryHint: .isDirectory), URLResourceValues())
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
            let protection = FileProtectionType.completeUntilFirstUserAuthentication
            try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: layout.root.string)
        #endif
    }

    private func isRootMissing() throws -> Bool {
        let root = layout.root
        guard try Durable.exists(root) else { return true }
        guard try root.stat().type == .directory else {
            throw BundleError(.storeUnavailable, "\(root) is not a folder; move it away")
        }
        return false
    }

    /// - Parameter converting: Whether the catalog is made or converted to the present format where it has to be.
    func openCatalog(converting: Bool) throws -> Catalog {
        if let catalog = try Catalog(layout) { return catalog }
        let isThere = (try? Durable.exists(layout.catalog)) == true
        do {
            if !converting { throw isThere ? Errno.readOnlyFileSystem : .noSuchFileOrDirectory }
            try migrateCatalog()
        } catch let error where StorageFailure.forbidsWriting(error) && isThere {
            throw BundleError(
                .storeUnavailable,
                "the store in \(layout.root) was written by an earlier program",
                .openAsOwner,
                cause: error
            )
        }
        guard let catalog = try Catalog(layout) else {
            throw BundleError(.storeUnavailable, "\(layout.catalog) can't be made; check the folder")
        }
        return catalog
    }

    /// Copies the catalog of a store as it is, while others may change it.
    ///
    /// - Parameters:
    ///   - path: The store's folder.
    ///   - creating: Whether there need not be a store yet.
    ///   - copy: The file to make.
    /// - Returns: Whether there is a catalog.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when there is no store and `creating` is false, when the
    ///   folder has something else in it, and when the catalog can't be read, or is of an earlier program.
    package static func copyCatalog(of path: String, creating: Bool, to copy: FilePath) throws -> Bool {
        let opening = StoreOpening(layout: StoreLayout(root: FilePath(path)), path: path, creating: creating)
        return try StoreAccess.run(at: path) {
            try opening.check()
            guard try Durable.exists(opening.layout.catalog) else { return false }
            try opening.openCatalog(converting: false).connection.copy(to: copy)
            return true
        }
    }

    private func migrateCatalog() throws {
        // One process at a time: when two processes turn on the write-ahead log of a new database, SQLite doesn't wait
        // but fails, and both would create its tables.
        let lock = try FileLock(layout.catalogLock, .exclusive, waits: true)
        try withExtendedLifetime(lock) {
            try Catalog.migrate(layout.catalog, mayBeNew: !OrphanFiles.isThereContent(in: layout))
        }
    }
}
