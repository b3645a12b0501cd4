import Glibc

/// A URL reference (RFC 3986). A value type.
///
/// Only characters that may be in a URL are taken; Foundation's encodes the others.
public struct URL: Hashable, Sendable, CustomStringConvertible {
    private let parts: URLParts

    init(_ parts: URLParts) { self.parts = parts }

    /// Nil unless the text is a URL reference.
    public init?(string: String) {
        guard !string.isEmpty, let parts = URLParts(string) else { return nil }
        self.parts = parts
    }

    public init?(string: String, encodingInvalidCharacters: Bool) { self.init(string: string) }

    /// Resolves a reference (RFC 3986 §5.2).
    public init?(string: String, relativeTo base: URL?) {
        guard let reference = URLParts(string) else { return nil }
        parts = base.map { reference.resolved(against: $0.parts) } ?? reference
    }

    /// A file's path, absolute or from the current folder.
    public init(fileURLWithPath path: String) {
        let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        let encoded = absolute.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? absolute
        parts = URLParts(scheme: "file", authority: "", path: encoded, query: nil, fragment: nil)
    }

    public var absoluteURL: URL { self }
    public var absoluteString: String { parts.text }
    public var description: String { parts.text }
    public var scheme: String? { parts.scheme }
    public var query: String? { parts.query }
    public var fragment: String? { parts.fragment }

    /// The path, percent-decoded, without a slash at its end.
    public var path: String {
        let path = path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    public func path(percentEncoded: Bool = true) -> String {
        percentEncoded ? parts.path : URLParts.decoded(parts.path)
    }

    public var lastPathComponent: String { path.split(separator: "/").last.map(String.init) ?? "/" }
    public var pathComponents: [String] { ["/"] + path.split(separator: "/").map(String.init) }

    public func deletingLastPathComponent() -> URL {
        let folder = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        return URL(fileURLWithPath: folder + "/")
    }

    public func appending(path: String) -> URL { URL(fileURLWithPath: "\(self.path)/\(path)") }
    public func appendingPathComponent(_ name: String) -> URL { appending(path: name) }

    /// A file's URL without `.` and `..`.
    public var standardizedFileURL: URL {
        URL(fileURLWithPath: URLParts.withoutDots(path))
    }

    public func resolvingSymlinksInPath() -> URL {
        guard let resolved = realpath(path, nil) else { return standardizedFileURL }
        defer { free(resolved) }
        return URL(fileURLWithPath: String(cString: resolved))
    }

    /// What is known about a file.
    public struct ResourceKey: Hashable, Sendable {
        let name: String
        public static let fileSizeKey = ResourceKey(name: "fileSize")
    }

    /// What is known about a file.
    public struct ResourceValues: Sendable {
        public let fileSize: Int?
    }

    public func resourceValues(forKeys keys: Set<ResourceKey>) throws -> ResourceValues {
        var status = stat()
        guard stat(path, &status) == 0 else { throw POSIXError.last }
        return ResourceValues(fileSize: status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil)
    }
}

/// The parts of a URL, of which the user information can be changed.
public struct URLComponents: Sendable {
    private var parts: URLParts

    public init?(url: URL, resolvingAgainstBaseURL: Bool) {
        guard let parts = URLParts(url.absoluteString) else { return nil }
        self.parts = parts
    }

    /// The user, which can only be taken out, with the password.
    public var user: String? {
        get { parts.authority?.lastIndex(of: "@").flatMap { parts.authority?[..<$0] }.map(String.init) }
        set {
            guard newValue == nil, let authority = parts.authority, let at = authority.lastIndex(of: "@") else { return }
            parts.authority = String(authority[authority.index(after: at)...])
        }
    }

    /// Goes with the user.
    public var password: String? {
        get { nil }
        set {}
    }

    public var string: String? { parts.text }
}
