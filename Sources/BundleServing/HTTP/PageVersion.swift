/// What tells a page its version: a cookie, and where it is sent back. A value type; safe to share between threads.
package struct PageVersion: Hashable, Sendable {
    /// The page's version.
    package let cookie: VersionCookie
    /// The path of the bundle's root.
    package let path: String

    /// Joins both.
    package init(cookie: VersionCookie, path: String) {
        self.cookie = cookie
        self.path = path
    }

    /// The value of `Set-Cookie`.
    package var fieldValue: String { cookie.fieldValue(path: path) }
}
