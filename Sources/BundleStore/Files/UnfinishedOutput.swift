import Foundation
import Synchronization

/// The files and folders that this process is writing and hasn't published yet. An immediate exit of the process
/// removes them first; otherwise each is removed by its writer. Thread-safe.
package enum UnfinishedOutput {
    // A process has one exit, so it has one list.
    private static let paths = Mutex<Set<String>>([])

    /// Adds a path that is to be written.
    package static func add(_ path: String) {
        paths.withLock { _ = $0.insert(path) }
    }

    /// Removes a path that was published or removed from the list.
    package static func drop(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    /// Deletes all paths, folders with their contents.
    package static func removeAll() {
        for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}
