/// A version cookie, and the path that it is sent back to. A value type; safe to share between threads.
package struct PageVersion: Hashable, Sendable {
    /// The page's version.
    package let cookie: VersionCookie
    /// The path of the bundle's root.
    package let path: String

    /// Combines a cookie and its path.
    package init(cookie: VersionCookie, path: String) {
        self.cookie = cookie
        self.path = path
    }

    /// The value of `Set-Cookie`.
    package var fieldValue: String { cookie.fieldValue(path: path) }
}
