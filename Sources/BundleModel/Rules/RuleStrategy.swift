/// Which of the cache and the network respond to a request that the bundle lacks.
package enum RuleStrategy: String, CaseIterable, Sendable {
    /// Neither: only the bundle, its fallback page, or its offline page.
    case bundleOnly = "bundle-only"
    /// What is stored, if it may be used; otherwise the network.
    case cacheFirst = "cache-first"
    /// The network; what is stored when it doesn't respond, or not in time.
    case networkFirst = "network-first"
    /// What is stored, fresh or not, which is renewed afterwards; otherwise the network.
    case staleWhileRevalidate = "stale-while-revalidate"
    /// The network alone; nothing is stored.
    case networkOnly = "network-only"
    /// Nobody: the request is refused.
    case block

    /// Whether no origin is ever asked.
    package var isWithoutNetwork: Bool { self == .bundleOnly || self == .block }
}
