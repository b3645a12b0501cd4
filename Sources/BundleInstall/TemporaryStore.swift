import BundleStore
import Foundation

/// A store in the system's temporary folder, which is removed with this value, and when the program is interrupted.
/// Nothing may use the store after that.
package struct TemporaryStore: ~Copyable {
    /// The store.
    package let store: BundleStore
    private let folder: ScratchFolder

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the temporary folder can't be written.
    package init() throws {
        do {
            let folder = try ScratchFolder()
            store = try BundleStore(at: folder.path, creating: true)
            self.folder = folder
        } catch {
            throw Self.explained(error)
        }
    }

    /// Calls a function with the store.
    ///
    /// - Throws: What the function throws; a full disk is that of the temporary folder then, and not that of a store which
    ///   could be pruned.
    package borrowing func using<Result>(_ body: (BundleStore) throws -> Result) throws -> Result {
        do {
            return try body(store)
        } catch {
            throw Self.explained(error)
        }
    }

    private static func explained(_ error: any Error) -> any Error {
        guard let error = error as? BundleError, error.remedy == .freeSpace else { return error }
        let folder = FileManager.default.temporaryDirectory.path
        return BundleError(error.code, error.problem, .freeTemporarySpace(folder), cause: error.cause)
    }
}
