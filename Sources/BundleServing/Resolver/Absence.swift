import BundleStore

/// Why no bundle covers a request. A value type; safe to share between threads.
public enum Absence: Sendable, Hashable {
    /// No bundle is concerned.
    case nobody
    /// The address belongs to a bundle or a publisher, but nothing answers: no version is active, it is damaged, or the path is
    /// invalid.
    case unavailable
    /// The host is reserved for a bundle that the store doesn't hold, or no longer holds.
    case vacantHost
    /// The path is a bundle's name, on a host where bundles don't answer by name.
    case unshared(BundleName)
}
