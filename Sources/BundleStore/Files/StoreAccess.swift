import GRDB
import SystemPackage

/// The use of a store's files.
package enum StoreAccess {
    /// Runs `body` and turns errors of the file system and the database into a ``/BundleModel/BundleError`` that names
    /// the store.
    package static func run<Result: ~Copyable>(at path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where error is BundleError || error is CancellationError {
            throw error
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw BundleError(
                .storeDamaged,
                "the catalog of the store in \(path) is damaged (\(error.message ?? "no database")); restore it from a copy, "
                    + "or move the folder away and install the bundles again",
                cause: error
            )
        } catch {
            let place = "the store in \(path) can't be read or written"
            if StorageFailure.forbidsReading(error) || StorageFailure.forbidsWriting(error),
                let remedy = FileOwner.remedy(in: StoreLayout(root: FilePath(path)))
            {
                throw BundleError(.storeUnavailable, "\(place): a file in it is another user's", remedy, cause: error)
            }
            throw BundleError(.storeUnavailable, place, failure: error)
        }
    }
}
