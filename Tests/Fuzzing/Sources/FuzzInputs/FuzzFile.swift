import Foundation

/// A file of this process that gets new content at each run. In memory where the system has a folder for that: a fuzzer
/// writes it thousands of times a second.
struct FuzzFile: Sendable {
    /// The path.
    let path: String

    private static let root: String = {
        let memory = "/dev/shm"
        let root = FileManager.default.fileExists(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
        return "\(root)/offline-bundles-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    }()

    /// Returns a path of this process below `folder` of the scratch area; creates no file.
    init(folder: String = "", name: String) {
        path = "\(Self.root)/\(folder)/\(name)"
    }

    /// Replaces the content.
    func write(_ bytes: UnsafeRawBufferPointer) {
        if FileManager.default.createFile(atPath: path, contents: Data(bytes)) { return }
        let folder = URL(filePath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Without content there is nothing to try, so a full disk only wastes a run.
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }

    /// Removes the scratch area. The next write creates it again.
    static func removeAll() {
        try? FileManager.default.removeItem(atPath: root)
    }
}
