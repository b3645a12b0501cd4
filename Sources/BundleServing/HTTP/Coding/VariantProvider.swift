import BundleStore

/// Where the coded forms of bundled files come from.
public protocol VariantProvider: Sendable {
    /// The coded forms of a file that there are now, none of them longer than it; a difference only if it is one to the
    /// client's dictionary. Called for each answer, on any thread: it must not wait. It may have the one made that would be the
    /// best for the client, for a later answer.
    func variants(of asset: Asset, for preferences: CodingPreferences) -> [ContentVariant]

    /// Waits until the difference between a file and the client's dictionary is there, if there can be one: for the client
    /// has no use for it later. Not for long, and it may come to nothing.
    func prepareDifference(of asset: Asset, for preferences: CodingPreferences) async
}
