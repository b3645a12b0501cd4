/// A version cookie, and the path that it is sent back to. A value type; safe to share between threads.
public struct PageVersion: Hashable, Sendable {
    /// The page's version.
    public let cookie: VersionCookie
    /// The path of the bundle's root.
    public let path: String

    /// Combines a cookie and its path.
    public init(cookie: VersionCookie, path: String) {
        self.cookie = cookie
        self.path = path
    }

    /// The value of `Set-Cookie`.
    public var fieldValue: String { cookie.fieldValue(path: path) }
}
