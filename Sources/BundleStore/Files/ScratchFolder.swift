import Foundation
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A new folder in the system's temporary folder for a store of this process, which no other user can read or rename. It is
/// removed with this value, and when the program is interrupted.
package struct ScratchFolder: ~Copyable {
    /// The folder's path.
    package let path: String

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the temporary folder can't be written.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "offline-bundles-\(UUID().uuidString)").path
        UnfinishedOutput.add(path)
        try BundleStore.accessing(path) { [path] in
            // Root's is root's, though the temporary folder be another user's.
            guard mkdir(path, 0o700) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        UnfinishedOutput.drop(path)
    }
}
