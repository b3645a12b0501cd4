import BundleStore
import Foundation

@testable import BundlePublishing

/// Files that a test publishes, in a folder that goes with this object. Thread-safe.
final class PublishedFiles: Sendable {
    private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "published-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The absolute path of something in the folder.
    func path(of name: String) -> String { folder.appending(path: name).path }

    /// A file with a text, as a change has it.
    func file(_ name: String, _ text: String) throws -> PlaceChange.File {
        let (path, bytes) = (path(of: "\(UUID().uuidString)-\(name)"), Array(text.utf8))
        try Data(bytes).write(to: URL(filePath: path))
        return PlaceChange.File(name: name, path: path, size: Int64(bytes.count), digest: Digest(of: bytes))
    }
}
