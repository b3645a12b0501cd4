/// Where the coded forms of bundled files come from.
public protocol VariantProvider: Sendable {
    /// The coded forms of a file that there are now, none of them longer than it. Called for each answer, on any thread: it
    /// must not wait. It may have the one made that would be the best for the client, for a later answer.
    ///
    /// - Parameter accepted: What the client takes.
    func variants(of resource: Resource, for accepted: AcceptEncoding) -> [ContentVariant]
}
