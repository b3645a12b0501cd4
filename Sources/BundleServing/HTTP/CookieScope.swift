import BundleStore

/// The scope of an origin's cookies when its responses are sent from a bundle's address (RFC 6265 §5.2, §5.3): that
/// host only, and the paths that correspond to the origin's. Pure; a value type, safe to share between threads.
package struct CookieScope: Sendable, Hashable {
    /// The longest field value in bytes; longer ones are dropped, as browsers do with cookies of more than 4,096 bytes.
    package static let maximumByteCount = 8_192

    /// The path, as browsers see it, that corresponds to ``originRoot``; both end in a slash.
    let root: String
    /// The path of the origin's URL that the bundle is mapped to.
    let originRoot: String
    /// The path of the request, which decides the path of a cookie without one (§5.1.4).
    let request: String

    /// - Parameters:
    ///   - root: The path, as browsers see it, that corresponds to the origin's, with a slash at its end.
    ///   - originRoot: The path of the origin's URL that the bundle is mapped to, with a slash at its end.
    ///   - request: The path of the request.
    package init(root: String, originRoot: String, request: String) {
        self.root = root
        self.originRoot = originRoot
        self.request = request
    }

    /// The components as a path with a slash at its end, but none in front.
    static func path(of components: [String]) -> String {
        components.map { PercentEncoding.encode(component: $0) + "/" }.joined()
    }

    /// The value of `Set-Cookie` as it is sent to a browser: without a domain, and with a path inside `root`. All other
    /// attributes are kept. Nil for a cookie that must not be set: one with the name of a version cookie, one without a
    /// pair, one that is too long, and one for paths of the origin outside of the bundle's.
    package func confined(_ fieldValue: String) -> String? {
        let semicolon = UInt8(ascii: ";")
        guard fieldValue.utf8.count <= Self.maximumByteCount, !root.utf8.contains(semicolon) else { return nil }
        let parts = fieldValue.utf8.split(separator: semicolon, omittingEmptySubsequences: false).map(Self.trimmed)
        guard let pair = parts.first, Self.isSettable(pair) else { return nil }
        let attributes = parts.dropFirst().map { (name: Self.name(of: $0), text: $0) }
        // Of several attributes with one name, the last counts (§5.3).
        guard let path = path(attributes.last { $0.name == "path" }.map { Self.value(of: $0.text) }) else { return nil }
        let others = attributes.filter { !["path", "domain", ""].contains($0.name) }.map(\.text)
        // Where nothing is translated, a browser finds the path of a cookie without one by itself.
        let isImplied = root == "/" && originRoot == "/" && !attributes.contains { $0.name == "path" }
        return ([pair] + others + (isImplied ? [] : ["Path=\(path)"])).joined(separator: "; ")
    }

    /// A nameless cookie is sent back without its equals sign, as if its value had a name.
    private static func isSettable(_ pair: Substring) -> Bool {
        let bare = pair.utf8.drop { $0 == UInt8(ascii: "=") || ASCII.isBlank($0) }
        return !bare.isEmpty && !bare.starts(with: VersionCookie.namePrefix.utf8)
    }

    /// The path that corresponds to one of the origin's; nil when no request under `root` would have the cookie.
    private func path(_ attribute: Substring?) -> String? {
        guard let attribute, attribute.utf8.first == UInt8(ascii: "/") else { return defaultPath }
        if Self.covers(attribute, originRoot) { return root }
        return Self.covers(originRoot, attribute)
            ? root + String(decoding: attribute.utf8.dropFirst(originRoot.utf8.count), as: UTF8.self) : nil
    }

    /// The path of a cookie without one (§5.1.4).
    private var defaultPath: String {
        let folder = request.utf8.lastIndex(of: UInt8(ascii: "/")).map { request[..<$0] } ?? ""
        return Self.covers(root, folder) && !folder.utf8.contains(UInt8(ascii: ";")) ? String(folder) : root
    }

    /// Whether requests for `path` include the cookies of `scope` (§5.1.4).
    private static func covers(_ scope: some StringProtocol, _ path: some StringProtocol) -> Bool {
        let (scope, path) = (Array(scope.utf8), Array(path.utf8))
        guard !scope.isEmpty, path.starts(with: scope) else { return false }
        let slash = UInt8(ascii: "/")
        return path.count == scope.count || scope.last == slash || path[scope.count] == slash
    }

    private static func name(of attribute: Substring) -> String {
        String(decoding: trimmed(attribute.utf8.prefix { $0 != UInt8(ascii: "=") }).utf8, as: UTF8.self).lowercased()
    }

    private static func value(of attribute: Substring) -> Substring {
        trimmed(attribute.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst())
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring {
        Substring(bytes.trimmingBlanks)
    }
}
