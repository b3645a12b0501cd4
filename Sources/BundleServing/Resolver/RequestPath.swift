import BundleStore
import Foundation

/// The path of a request, decoded once into components that can't leave a bundle.
struct RequestPath {
    /// The decoded components, in Unicode normalisation form C; a slash at the end adds none.
    let components: [String]
    /// The same components as they were sent.
    let rawComponents: [Substring]
    /// Whether the path ends in a slash.
    let isFolder: Bool

    /// Returns nil when a component is empty, `.` or `..`, decodes to something with a slash, backslash or control
    /// character in it, or doesn't decode to UTF-8.
    init?(_ path: String) {
        // By bytes, since a slash and a combining mark after it are one Character.
        var raw = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        isFolder = raw.last?.isEmpty ?? true
        if isFolder { raw = raw.dropLast() }
        var components: [String] = []
        for component in raw {
            guard let decoded = Self.decode(component) else { return nil }
            components.append(decoded)
        }
        self.components = components
        rawComponents = raw.map(Substring.init)
    }

    private static func decode(_ component: Substring.UTF8View) -> String? {
        guard let decoded = PercentEncoding.decode(component), !decoded.utf8.contains(UInt8(ascii: "/")),
            // Below a folder, for what looks like a drive letter is one only at a path's start.
            let path = try? BundlePath("x/\(decoded)")
        else { return nil }
        return String(path.lastComponent)
    }
}
