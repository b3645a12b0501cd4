import BundleStore
import Foundation

/// A test's own folder.
///
/// A value type; use it within the scope of ``withTemporaryDirectory(_:)``, which removes it.
package struct TemporaryDirectory: Sendable {
    /// The folder's absolute path, with no symbolic link in it and no slash at its end.
    package let path: String

    init() throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        // A short name: swift-system looks at each byte of a path for each of its bytes in a debug build.
        // mkdtemp(3) replaces the X's.
        var template = Array(parent.appendingPathComponent("test-XXXXXX").path.utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The folder as a file URL.
    package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// The absolute path of something inside, which need not exist.
    package func path(of relativePath: String) -> String {
        "\(path)/\(relativePath)"
    }

    /// Writes a file, and the folders above it, and returns its absolute path.
    ///
    /// - Throws: Foundation's error when the file can't be written.
    @discardableResult
    package func write(_ content: some Sequence<UInt8>, to relativePath: String) throws -> String {
        let file = URL(fileURLWithPath: path(of: relativePath))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: file)
        return file.path
    }

    /// Writes a file as UTF-8, and the folders above it, and returns its absolute path.
    ///
    /// - Throws: Foundation's error when the file can't be written.
    @discardableResult
    package func write(_ content: String, to relativePath: String) throws -> String {
        try write(content.utf8, to: relativePath)
    }

    /// Writes a tree of text files under `folder`: relative path → content. Returns the folder's absolute path.
    ///
    /// - Throws: Foundation's error when a file can't be written.
    @discardableResult
    package func write(tree: [String: String], to folder: String = "") throws -> String {
        let root = folder.isEmpty ? path : path(of: folder)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        for (name, content) in tree {
            try write(content, to: folder.isEmpty ? name : "\(folder)/\(name)")
        }
        return root
    }

    /// Reads a file.
    ///
    /// - Throws: Foundation's error when the file can't be read.
    package func read(_ relativePath: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(of: relativePath))))
    }

    /// The current contents of the folder, or of one inside it.
    ///
    /// - Throws: Foundation's error when something can't be read.
    package func snapshot(of folder: String = "") throws -> TreeSnapshot {
        try TreeSnapshot(of: folder.isEmpty ? path : path(of: folder))
    }

    func remove() {
        // A test may have removed the write permission; a left-over folder must not hide the test's own result.
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Makes a folder, passes it to `body`, and removes it with all its contents, whatever `body` did.
///
/// - Throws: What `body` throws, or Foundation's error when the folder can't be made.
package func withTemporaryDirectory<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    return try await body(directory)
}

/// Everything below a folder, byte for byte, for comparison: `#expect(before == after)`.
package struct TreeSnapshot: Equatable, Sendable {
    /// The kind of a path.
    package enum Entry: Hashable, Sendable {
        /// A folder.
        case folder
        /// A regular file with this SHA-256.
        case file(Digest)
        /// A symbolic link, with its target as it is written.
        case link(to: String)
        /// A socket, pipe or device.
        case other
    }

    /// Relative path → entry. The folder itself isn't in it.
    package let entries: [String: Entry]

    /// Reads the whole tree; links are not followed.
    ///
    /// - Throws: Foundation's error when something can't be read.
    package init(of folder: String) throws {
        var entries: [String: Entry] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            entries[path] = try TreeSnapshot.entry(at: "\(folder)/\(path)")
        }
        self.entries = entries
    }

    /// The digests of the regular files alone.
    package var files: [String: Digest] {
        entries.compactMapValues { entry in
            if case .file(let digest) = entry { digest } else { nil }
        }
    }

    /// The paths that are in only one of the two snapshots or differ between them, sorted, for a readable report.
    package func differences(from other: TreeSnapshot) -> [String] {
        Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }.sorted()
    }

    private static func entry(at path: String) throws -> Entry {
        let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        switch type {
        case .typeDirectory: return .folder
        case .typeRegular: return .file(Digest(of: try Data(contentsOf: URL(fileURLWithPath: path))))
        case .typeSymbolicLink: return .link(to: try FileManager.default.destinationOfSymbolicLink(atPath: path))
        default: return .other
        }
    }
}
