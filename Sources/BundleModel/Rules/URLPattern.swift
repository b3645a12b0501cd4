/// A pattern for the requests of a bundle, in one of three forms:
///
/// - `/api/**`: the path in the bundle, as a ``PathPattern``, which `headers` and `fallback.routes` have too; `/` alone
///   is the bundle's root.
/// - `*.mp4`, without a slash: the last component of the path, whatever folder it is in; the same as `/**/*.mp4`.
/// - `https://cdn.example/img/**`: the URL on the network. Scheme, host and port are literal; a component is
///   percent-decoded, and must not contain `%2A` or `%2F`.
///
/// A value type; safe to share between threads.
package struct URLPattern: Hashable, Sendable {
    /// What a wildcard stands for.
    enum Wildcards: Equatable {
        case characters
        case components
    }

    /// As it was written.
    package let string: String
    /// As ``OriginURL/root``; nil for a path in the bundle.
    package let origin: String?
    let path: PathPattern

    /// Returns nil for any other form, and for over 1,024 bytes.
    package init?(_ string: String) {
        guard string.utf8.count <= PathPattern.maximumByteCount, let (origin, path) = Self.parts(of: string)
        else { return nil }
        self.string = string
        self.origin = origin
        self.path = path
    }

    private static func parts(of string: String) -> (origin: String?, path: PathPattern)? {
        if string == "/" { return (nil, .root) }
        if string.contains("://") { return urlParts(of: string) }
        let isPath = string.utf8.contains(UInt8(ascii: "/"))
        return PathPattern(isPath ? string : "/**/\(string)").map { (nil, $0) }
    }

    private static func urlParts(of string: String) -> (origin: String?, path: PathPattern)? {
        guard let url = try? HTTPURL(string), !url.hasQuery, !url.hasFragment else { return nil }
        let text = Substring(url.path).lowercased()
        guard !text.contains("%2a"), !text.contains("%2f"), let decoded = PercentEncoding.decode(url.path)
        else { return nil }
        let path = decoded.isEmpty || decoded == "/" ? PathPattern.root : PathPattern(decoded)
        let port = url.port.map { ":\($0)" } ?? ""
        return path.map { ("\(url.scheme.rawValue)://\(url.host)\(port)", $0) }
    }

    /// Whether the pattern covers the request. The time is proportional to the length of the path or URL, times the
    /// number of components between two `**`.
    package func covers(_ subject: PatternSubject) -> Bool {
        guard let origin else { return path.covers(subject.path.components) }
        return origin == subject.origin && path.covers(subject.urlPath.components)
    }

    /// Whether it covers every request.
    var coversEverything: Bool { origin == nil && (path == .everything || string == "**") }

    /// What its wildcards are, in their order.
    var wildcards: [Wildcards] {
        Array(
            path.runs
                .map { run in run.flatMap { Array(repeating: Wildcards.characters, count: $0.literals.count - 1) } }
                .joined(separator: [.components])
        )
    }

    /// The components before the first one with a wildcard.
    var leadingComponents: [String] {
        (path.runs.first ?? []).prefix { $0.isLiteral }.map { String(decoding: $0.literals[0].bytes, as: UTF8.self) }
    }

    /// Whether it says where the path or URL starts.
    var isRooted: Bool { string.utf8.contains(UInt8(ascii: "/")) }

    /// Whether everything that it covers lies below the mapping's origin.
    func lies(in mapping: OriginMapping) -> Bool {
        guard let origin else {
            return leadingComponents.starts(with: mapping.folder?.components.map(String.init) ?? [])
        }
        return origin == mapping.origin.root && leadingComponents.starts(with: mapping.origin.components)
    }
}
