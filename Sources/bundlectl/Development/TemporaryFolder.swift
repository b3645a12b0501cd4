import BundleStore
import Foundation

/// A path in the system's temporary folder, whose files are removed with this object; what a killed process left under the same
/// name is removed when the next one begins.
final class TemporaryFolder {
    private let staged: StagedFile

    /// - Throws: `BundleError` with code `outputUnavailable` when the temporary folder can't be written.
    init(named name: String) throws(BundleError) {
        staged = try StagedFile(for: FileManager.default.temporaryDirectory.appending(path: name).path)
    }

    /// An unused path.
    var path: String { staged.path }
}
