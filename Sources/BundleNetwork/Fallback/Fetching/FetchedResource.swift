import BundleStore

/// What a fetch is for, under the names that the cache, limits, the breaker and shared fetches use. One object for all
/// copies of a ``Fetch``. Immutable; safe to share between threads.
final class FetchedResource: Sendable {
    /// The URL.
    let url: String
    /// The key that the response is stored under.
    let key: String
    /// The release under which it is stored.
    let release: Release
    /// The origin, which limits and the breaker count by.
    let origin: String
    /// Distinguishes what is fetched under different versions, and for different addresses.
    let name: String

    /// - Parameter address: The client's address, which the origin is told; nil when it isn't.
    init(url: String, key: String, release: Release, origin: String, address: ForwardedAddress? = nil) {
        self.url = url
        self.key = key
        self.release = release
        self.origin = origin
        name = "\(release.name)@\(release.version) \(key)" + (address.map { " \($0)" } ?? "")
    }
}
