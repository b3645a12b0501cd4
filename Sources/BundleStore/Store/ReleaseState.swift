/// The state of a release within its bundle.
public enum ReleaseState: String, Sendable, Codable {
    /// It is served now.
    case active
    /// It was active earlier, and is kept for rollback and for pages that still use it.
    case retained
    /// It was installed and never activated.
    case installed
}
