/// References from one path of a host to another.
///
/// A relative reference leads to the right place wherever a proxy in front has these paths, also below one that it removes
/// (RFC 9110 §10.2.2): what begins with a slash would lead out of it.
package enum RelativeReference {
    /// The reference with which a client that has asked for `path` gets to `target` (RFC 3986 §4.2). Pure.
    ///
    /// - Parameters:
    ///   - path: The path that was asked for, from its first slash on.
    ///   - target: A path with a slash in front, and perhaps a query and a fragment. Anything else, and a path with an empty
    ///     component, is returned as it is.
    package static func from(_ path: String, to target: String) -> String {
        let end = target.firstIndex { $0 == "?" || $0 == "#" } ?? target.endIndex
        let wanted = components(target[..<end])
        guard target.hasPrefix("/"), !wanted.dropLast().contains("") else { return target }
        let folder = components(path[...]).dropLast()
        let commonCount = zip(folder, wanted.dropLast()).prefix { $0 == $1 }.count
        let steps = repeatElement("..", count: folder.count - commonCount) + wanted.dropFirst(commonCount)
        // Otherwise the first could be taken for a scheme, or there would be nothing.
        let isPlain = steps.first.map { !$0.isEmpty && !$0.contains(":") } ?? false
        return (isPlain ? "" : "./") + steps.joined(separator: "/") + target[end...]
    }

    /// What follows each slash.
    private static func components(_ path: Substring) -> [Substring] {
        Array(path.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
    }
}
