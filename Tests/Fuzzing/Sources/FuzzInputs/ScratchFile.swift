import Foundation

/// A file of this process's own that gets new content at each run. In memory where the system has a folder for that: a
/// fuzzer writes it thousands of times a second.
public struct ScratchFile: Sendable {
    /// Where it is.
    public let path: String

    /// Makes a path of this process's own below `folder` of the scratch area; makes no file.
    public init(folder: String = "", name: String) {
        let memory = "/dev/shm"
        let root = FileManager.default.fileExists(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
        let parent = "\(root)/offline-bundles-fuzz-\(ProcessInfo.processInfo.processIdentifier)/\(folder)"
        try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        path = "\(parent)/\(name)"
    }

    /// Replaces the content.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        // Without content there is nothing to try, so a full disk only wastes a run.
        FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }
}
