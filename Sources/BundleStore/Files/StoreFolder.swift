import SystemPackage

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
    package static func checkIsNoLink(_ file: FilePath) throws {
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
