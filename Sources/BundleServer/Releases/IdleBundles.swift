import BundleStore

/// Which bundles nobody asks for, by the numbers of requests. A value type; pure.
struct IdleBundles {
    private struct Use {
        var count: Int64
        /// Since when the count is the same.
        var since: Duration
    }

    private var uses: [BundleName: Use] = [:]

    /// Takes the numbers of requests so far.
    ///
    /// - Parameters:
    ///   - counts: By bundle; they only grow, and a bundle without one wasn't asked for.
    ///   - now: The time since any fixed moment.
    mutating func take(_ counts: [BundleName: Int64], of names: some Sequence<BundleName>, at now: Duration) {
        for name in names {
            let count = counts[name] ?? 0
            if uses[name]?.count != count { uses[name] = Use(count: count, since: now) }
        }
    }

    /// Whether a bundle wasn't asked for during the last `interval`.
    func isIdle(_ name: BundleName, for interval: Duration, at now: Duration) -> Bool {
        uses[name].map { now - $0.since >= interval } ?? false
    }
}
