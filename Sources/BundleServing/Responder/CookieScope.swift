import BundleStore
import HTTPTypes

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
    /// Whether the origin has been told ``root``, so that paths below it are those that browsers see.
    let isTold: Bool

    /// - Parameters:
    ///   - root: The path, as browsers see it, that corresponds to the origin's, with a slash at its end.
    ///   - originRoot: The path of the origin's URL that the bundle is mapped to, with a slash at its end.
    ///   - request: The path of the request.
    ///   - isTold: Whether the origin has been told `root`, so that paths below it are those that browsers see.
    package init(root: String, originRoot: String, request: String, isTold: Bool = false) {
        self.root = root
        self.originRoot = originRoot
        self.request = request
        self.isTold = isTold
    }

    /// The components as a path with a slash at its end, but none in front.
    static func path(of components: [String]) -> String {
        components.map { PercentEncoding.encode(component: $0) + "/" }.joined()
    }

    /// `Set-Cookie` as it is sent to a browser: without a domain, and with a path inside `root`. All other attributes are
    /// kept, with the bytes that they were received with. Nil for a cookie that must not be set: one with the name of a
    /// version cookie, one without a pair, one that is too long, and one for paths of the origin outside of the bundle's.
    package func confined(_ field: HTTPField) -> HTTPField? {
        confined(field.withUnsafeBytesOfValue { Array($0) }).map { HTTPField(name: field.name, value: $0) }
    }

    private func confined(_ fieldValue: [UInt8]) -> [UInt8]? {
        let semicolon = UInt8(ascii: ";")
        guard fieldValue.count <= Self.maximumByteCount, !root.utf8.contains(semicolon) else { return nil }
        let parts = fieldValue.split(separator: semicolon, omittingEmptySubsequences: false).map(\.trimmingBlanks)
        guard let pair = parts.first, Self.isSettable(pair) else { return nil }
        let attributes = parts.dropFirst().map { (name: Self.name(of: $0), text: $0) }
        // Of several attributes with one name, the last counts (§5.3).
        guard let path = path(attributes.last { $0.name == "path" }.map { Self.value(of: $0.text) }) else { return nil }
        let others = attributes.filter { !["path", "domain", ""].contains($0.name) }.map(\.text)
        // Where nothing is translated, a browser finds the path of a cookie without one by itself.
        let isImplied = root == "/" && originRoot == "/" && !attributes.contains { $0.name == "path" }
        let own = isImplied ? [] : [Array("Path=".utf8) + path]
        return Array((([pair] + others).map { Array($0) } + own).joined(separator: "; ".utf8))
    }

    /// A nameless cookie is sent back without its equals sign, as if its value had a name.
    private static func isSettable(_ pair: ArraySlice<UInt8>) -> Bool {
        let bare = pair.drop { $0 == UInt8(ascii: "=") || ASCII.isBlank($0) }
        return !bare.isEmpty && !bare.starts(with: VersionCookie.namePrefix.utf8)
    }

    /// The path that corresponds to one of the origin's; nil when no request under `root` would have the cookie.
    private func path(_ attribute: ArraySlice<UInt8>?) -> [UInt8]? {
        guard let attribute, attribute.first == UInt8(ascii: "/") else { return Array(defaultPath.utf8) }
        if isTold, Self.covers(root.dropLast().utf8, attribute) {
            return attribute.count < root.utf8.count ? Array(root.utf8) : Array(attribute)
        }
        if Self.covers(attribute, originRoot.utf8) { return Array(root.utf8) }
        return Self.covers(originRoot.utf8, attribute)
            ? Array(root.utf8) + attribute.dropFirst(originRoot.utf8.count) : nil
    }

    /// The path of a cookie without one (§5.1.4).
    private var defaultPath: String {
        let folder = request.utf8.lastIndex(of: UInt8(ascii: "/")).map { request[..<$0] } ?? ""
        return Self.covers(root.utf8, folder.utf8) && !folder.utf8.contains(UInt8(ascii: ";")) ? String(folder) : root
    }

    /// Whether requests for `path` include the cookies of `scope` (§5.1.4).
    private static func covers(_ scope: some Collection<UInt8>, _ path: some Collection<UInt8>) -> Bool {
        guard !scope.isEmpty, path.starts(with: scope) else { return false }
        let slash = UInt8(ascii: "/")
        return path.count == scope.count || Array(scope).last == slash || path.dropFirst(scope.count).first == slash
    }

    private static func name(of attribute: ArraySlice<UInt8>) -> String {
        String(decoding: attribute.prefix { $0 != UInt8(ascii: "=") }.trimmingBlanks, as: UTF8.self).lowercased()
    }

    private static func value(of attribute: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        attribute.drop { $0 != UInt8(ascii: "=") }.dropFirst().trimmingBlanks
    }
}
