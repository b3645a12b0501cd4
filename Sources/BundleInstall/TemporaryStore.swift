import BundleStore
import Foundation

/// A store in the system's temporary folder, which is removed with this value, and when the program is interrupted.
/// Nothing may use the store after that.
package struct TemporaryStore: ~Copyable {
    /// The store.
    package let store: BundleStore
    private let folder: String

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the temporary folder can't be written.
    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "offline-bundles-\(UUID().uuidString)").path
        UnfinishedOutput.add(folder)
        do {
            store = try BundleStore(at: folder, creating: true)
        } catch {
            Self.remove(folder)
            throw Self.explained(error)
        }
        self.folder = folder
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

    deinit {
        Self.remove(folder)
    }

    private static func explained(_ error: any Error) -> any Error {
        guard let error = error as? BundleError, error.remedy == .freeSpace else { return error }
        let folder = FileManager.default.temporaryDirectory.path
        return BundleError(error.code, error.problem, .freeTemporarySpace(folder), cause: error.cause)
    }

    private static func remove(_ folder: String) {
        try? FileManager.default.removeItem(atPath: folder)
        UnfinishedOutput.drop(folder)
    }
}
