import Foundation
import Synchronization

/// The files and folders of this process that are being written and haven't taken their places yet. Whoever ends the
/// process at once removes them first; otherwise each is removed by what writes it. Thread-safe.
package enum UnfinishedOutput {
    // The process has one end, so it has one list.
    private static let paths = Mutex<Set<String>>([])

    /// Enters a path that is about to be written.
    package static func add(_ path: String) {
        paths.withLock { _ = $0.insert(path) }
    }

    /// Takes a path off that has got its place or is removed.
    package static func drop(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    /// Removes what is there, folders with all that is in them.
    package static func removeAll() {
        for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}
