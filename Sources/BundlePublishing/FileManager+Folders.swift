import BundleStore
import Foundation

extension FileManager {
    /// Makes a folder, and those that it is in, unless it is there.
    ///
    /// - Parameter mode: Its permissions; nil for those that the umask leaves.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func makeFolder(_ path: String, mode: Int? = nil) throws(BundleError) {
        do {
            try createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: mode.map { [.posixPermissions: $0] }
            )
        } catch {
            throw BundleError(
                .outputUnavailable,
                "the folder \(Printable.line(path)) can't be made; check what is at its place, and the permissions",
                cause: error
            )
        }
    }

    /// The path of a file or a folder that has no other one: absolute, and without symbolic links as far as it is there. Locks and records
    /// go by it.
    static func realPath(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}
