/// What a release is to its bundle.
public enum ReleaseState: String, Sendable, Codable {
    /// It answers now.
    case active
    /// It answered earlier, and is kept for rollback and for pages still open on it.
    case retained
    /// It was installed and never activated.
    case installed
}
