/// What ``URLPattern``s are compared with: the place of a request in its bundle, and its URL on the network. A value
/// type; safe to share between threads.
package struct PatternSubject: Sendable {
    /// The path in the bundle.
    let path: SubjectPath
    /// The URL's scheme, host and port, as ``OriginURL/root``; nil when no origin covers the path.
    let origin: String?
    /// The URL's path.
    let urlPath: SubjectPath

    /// - Parameters:
    ///   - path: The path in the bundle.
    ///   - origin: As ``OriginURL/root``; nil when no origin covers the path.
    ///   - urlPath: The URL's path.
    package init(path: SubjectPath, origin: String?, urlPath: SubjectPath) {
        self.path = path
        self.origin = origin
        self.urlPath = urlPath
    }

    /// Whether the last component ends so, without regard to the case of ASCII letters.
    ///
    /// - Parameter suffix: In lower case.
    func hasSuffix(_ suffix: String) -> Bool {
        guard let name = path.components.last, name.count >= suffix.utf8.count else { return false }
        return zip(name.suffix(suffix.utf8.count), suffix.utf8).allSatisfy { byte, expected in
            byte == expected || ASCII.isUppercase(byte) && byte | 0x20 == expected
        }
    }
}
