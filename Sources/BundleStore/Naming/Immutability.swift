/// Why the content of a file never changes under its name, so that browsers need not ask for it again (RFC 8246).
public enum Immutability: UInt8, Sendable, CaseIterable {
    /// The manifest says so.
    case manifest = 1
    /// The name has the beginning of the content's SHA-256.
    case digest = 2
    /// A bundler's own list of its output maps a name without a hash to this one.
    case buildManifest = 3
    /// Its folder, or the release, has many names with a hash in the same place.
    case siblings = 4
    /// Nobody makes up such a name.
    case name = 5

    /// The word for it in reports: `build-manifest`.
    public var word: String {
        switch self {
        case .manifest: "manifest"
        case .digest: "digest"
        case .buildManifest: "build-manifest"
        case .siblings: "siblings"
        case .name: "name"
        }
    }
}
