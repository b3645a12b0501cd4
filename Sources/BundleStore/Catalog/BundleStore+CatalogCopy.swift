import SystemPackage

extension BundleStore {
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
        try accessing(path) {
            let layout = StoreLayout(root: FilePath(path))
            try checkMayOpen(layout, at: path, creating: creating)
            guard try Durable.exists(layout.catalog) else { return false }
            guard let catalog = try Catalog(layout) else {
                throw BundleError(
                    .storeUnavailable,
                    "the store in \(layout.root) was written by an earlier program",
                    .openAsOwner
                )
            }
            try catalog.copy(to: copy)
            return true
        }
    }
}
