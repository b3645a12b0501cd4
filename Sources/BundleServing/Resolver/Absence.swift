import BundleStore

/// Why no bundle covers a request. A value type; safe to share between threads.
package enum Absence: Sendable, Hashable {
    /// The address concerns no bundle.
    case nobody
    /// The address belongs to a bundle or a publisher, but nothing is served there: no version is active, it is
    /// damaged, or the path is invalid.
    case unavailable
    /// The host is reserved for a bundle that the store doesn't hold, or no longer holds.
    case vacantHost
    /// The path is a bundle's name, on a host where bundles aren't served by name.
    case unshared(BundleName)
}
