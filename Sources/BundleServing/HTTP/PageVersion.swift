/// What tells a page its version: a cookie, and where it is sent back. A value type; safe to share between threads.
public struct PageVersion: Hashable, Sendable {
    /// The page's version.
    public let cookie: VersionCookie
    /// The path of the bundle's root.
    public let path: String

    /// Joins both.
    public init(cookie: VersionCookie, path: String) {
        self.cookie = cookie
        self.path = path
    }

    /// The value of `Set-Cookie`.
    public var fieldValue: String { cookie.fieldValue(path: path) }
}
