import BundleStore

/// The source of the coded forms of bundled files.
package protocol VariantProvider: Sendable {
    /// Increases some time after better forms have become available; those from before stay valid. Takes no lock.
    var generation: Int64 { get }

    /// The available coded forms of a file, none of them longer than it; a delta only if it is one to the client's
    /// dictionary. Called for each response, on any thread: it must not wait. It may schedule the form that would be
    /// best for the client, for a later response.
    func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant]

    /// Schedules the delta between a file and the client's dictionary, if it is possible and there is none yet: the
    /// client has no use for it later.
    ///
    /// - Returns: A closure that waits for the delta for a limited time, after which there may be none. Nil when there
    ///   is nothing to wait for.
    func pendingDelta(of asset: Asset, for preferences: CodingPreferences) -> (@Sendable () async -> Void)?
}
