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
            throw error
        }
        self.folder = folder
    }

    deinit {
        Self.remove(folder)
    }

    private static func remove(_ folder: String) {
        try? FileManager.default.removeItem(atPath: folder)
        UnfinishedOutput.drop(folder)
    }
}
