import BundleStore
import Foundation

/// A `file` URL (RFC 8089) of this machine in its parts, without any repair: `file:///media/usb/feed.json`. Pure; a value type,
/// safe to share between threads.
package struct FileURL: Hashable, Sendable {
    /// The names of the path from the root, percent-decoded: none is `.` or `..`, or has a slash.
    let components: [String]

    /// Nil for a URL of another scheme or host, with a query or a fragment, or whose path leads upwards or has an empty part. A
    /// slash at the end is left out.
    package init?(_ text: String) {
        let prefix = "file:///"
        guard text.prefix(prefix.count).lowercased() == prefix else { return nil }
        let path = text.utf8.dropFirst(prefix.utf8.count)
        guard !path.contains(UInt8(ascii: "?")), !path.contains(UInt8(ascii: "#")) else { return nil }
        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        let components = parts.compactMap(PercentEncoding.decode)
        guard components.count == parts.count, components.allSatisfy(ConfinedFile.isName) else { return nil }
        self.components = components
    }

    package init?(_ url: URL) { self.init(url.absoluteString) }

    /// The absolute path.
    package var path: String { components.isEmpty ? "/" : components.map { "/\($0)" }.joined() }

    /// The absolute path of the folder that it is in; empty for the root.
    var folder: String { components.dropLast().map { "/\($0)" }.joined() }

    /// The path from the folder of another file, at any depth; nil for what isn't below that.
    func components(beside file: FileURL) -> [String]? {
        let folder = file.components.dropLast()
        guard components.count > folder.count, components.starts(with: folder) else { return nil }
        return Array(components.dropFirst(folder.count))
    }
}
