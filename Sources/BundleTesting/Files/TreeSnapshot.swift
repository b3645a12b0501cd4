import BundleStore
import Foundation

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
