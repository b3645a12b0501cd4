import BundleStore

/// Why no bundle covers a request. A value type; safe to share between threads.
public enum Absence: Sendable, Hashable {
    /// No bundle has to do with it.
    case nobody
    /// It is a bundle's or a publisher's, and nothing answers there: no version is active, or it is damaged, or the path is none.
    case unavailable
    /// The host is the own one of a bundle that the store doesn't hold, or not any more.
    case vacantHost
    /// The path is a bundle's name, on a host where names don't answer.
    case unshared(BundleName)
}
