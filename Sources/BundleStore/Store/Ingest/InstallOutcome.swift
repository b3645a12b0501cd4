/// The result of an installation.
public enum InstallOutcome: Sendable, Equatable {
    /// The release is new in the store, or replaced one with different content.
    case installed
    /// The release was already installed and has been activated.
    case activated
    /// The release was already installed as requested; nothing has changed.
    case unchanged
}
