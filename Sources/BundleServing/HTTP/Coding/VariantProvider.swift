import BundleStore

/// Where the coded forms of bundled files come from.
package protocol VariantProvider: Sendable {
    /// Rises some time after other forms may be given than before, which are better, while those from before stay right.
    /// Costs no lock.
    var generation: Int64 { get }

    /// The coded forms of a file that there are now, none of them longer than it; a difference only if it is one to the
    /// client's dictionary. Called for each response, on any thread: it must not wait. It may have the one made that would be the
    /// best for the client, for a later answer.
    func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant]

    /// Has the difference between a file and the client's dictionary made, if there can be one and there is none yet: the
    /// client has no use for it later.
    ///
    /// - Returns: What waits until it is there, but not for long: it may come to nothing. Nil when there is nothing to wait for.
    func pendingDelta(of asset: Asset, for preferences: CodingPreferences) -> (@Sendable () async -> Void)?
}
